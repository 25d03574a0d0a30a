"""A workload from a proto file: its unary methods, what they send, and how they follow from one another."""

from collections import Counter
from collections.abc import Mapping, Sequence

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet

from bakeoff.descriptions.descriptors import CompiledProto, compiled_proto
from bakeoff.descriptions.faults import Notes, advice_notes, left_out_notes
from bakeoff.descriptions.imported import READ_WEIGHT, ImportedApi, ImportedOperation, Life, Table
from bakeoff.descriptions.proto_entities import Entity, Link, ProtoEntities, id_names
from bakeoff.descriptions.proto_messages import MessageTemplates, Path, choosing, unique_value
from bakeoff.descriptions.proto_pages import proto_pages
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.descriptions.proto_types import DELETES, LISTS, READS, UPDATES, Method, Types, is_set_by_server, singular
from bakeoff.descriptions.steps import Creation, Step, steps_of, with_steps
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError


def import_proto(source: ProtoSource) -> ImportedApi:
    """Raises UsageError where the file declares nothing that can be sent."""
    compiled = compiled_proto(source)
    return _Import(compiled).api(source)


class _Import:
    def __init__(self, compiled: CompiledProto) -> None:
        files = FileDescriptorSet.FromString(compiled.descriptor_set).file
        self._compiled = compiled
        self._types = Types(files)
        self._templates = MessageTemplates(self._types)
        self._methods = [
            Method(service.name, each, file.package)
            for file in files
            if file.name in compiled.mains
            for service in file.service
            for each in service.method
        ]
        self._entities = ProtoEntities(self._methods, self._types)
        self._parents = self._entities.parents()
        self._advice = advice_notes()
        self._left_out = left_out_notes()
        self._fields_left_out = Notes(
            lambda reason, place: f"{place} is left out: {reason}.",
            lambda count, reason, listed: f"{count} fields are left out: {reason}: {listed}.",
        )
        self._names = _short_names(self._methods)

    def api(self, source: ProtoSource) -> ImportedApi:
        if not self._methods:
            raise UsageError(f"{source.file} declares no service, so there is nothing to send.")
        for each in self._methods:
            if each.streams:
                self._left_out.add("it streams", self._name(each))
        sent = [each for each in self._methods if not each.streams]
        steps = {self._name(each): self._steps(each) for each in sent}
        operations = list(with_steps([self._operation(each) for each in sent], steps))
        if not operations:
            raise UsageError(f"{source.file} describes no operation that can be sent. {' '.join(self._left_out.lines)}")
        return ImportedApi(
            f"{self._methods[0].service} of {source.file.name}",
            "grpc",
            operations,
            # A case makes one entity alone.
            lives=[
                Life(each.kind, "NOT_FOUND", compares=False)
                for each in self._entities.all
                if self._entities.link(each.creator).entity is None
            ],
            left_out=[*self._compiled.notes, *self._left_out.lines, *self._fields_left_out.lines],
            advice=self._advice.lines,
            files={each.name: each.text for each in self._compiled.files},
            proto=self._compiled.name,
        )

    def _name(self, method: Method) -> str:
        return self._names[method.full_service, method.name]

    def _steps(self, method: Method) -> Sequence[Step]:
        link = self._entities.link(method)
        if link.entity is None:
            return []
        others = [Creation(self._name(each.entity.creator), each.entity.kind, each.captures) for each in link.others]
        return steps_of(link.entity.kind, list(link.entity.captures), others)

    def _operation(self, method: Method) -> ImportedOperation:
        created, link, steps = self._entities.created_by(method), self._entities.link(method), self._steps(method)
        call: dict[str, Json] = {"method": f"{method.full_service}/{method.name}", "expect": "OK"}
        if created is not None:
            call["capture"] = dict(created.captures)
        is_about = link.entity is not None and link.entity.kind == method.kind and created is None
        is_deletion = is_about and method.verb in DELETES
        message = self._message(method, created, link)
        pages = None
        if created is None and link.entity is None and method.verb not in (*DELETES, *UPDATES):
            pages = proto_pages(method, self._types, self._templates)
        if pages is not None:
            message, call["capture"] = pages.message, dict(pages.capture)
        self._advise(method, link, message)
        return ImportedOperation(
            self._name(method),
            call,
            weight=self._weight(method, link) if is_about else 1,
            creates=None if created is None else created.kind,
            needs=next((each.creates for each in reversed(steps)), None if link.entity is None else link.entity.kind),
            message=message,
            effect=_deletion(link.entity) if is_deletion and link.entity is not None else None,
            has_pages=pages is not None,
        )

    def _weight(self, method: Method, link: Link) -> int:
        if method.verb in DELETES and link.entity in self._parents:
            name = self._name(method)
            self._advice.add("The deletion of what others lie in or name has weight 0: they would go with it.", name)
            return 0
        return READ_WEIGHT if method.verb in READS else 1

    def _message(self, method: Method, created: Entity | None, link: Link) -> str:
        values = {path: _captured(capture, found) for path, (capture, found) in link.fields.items()}
        without: list[Path] = []
        if created is not None:
            chosen, without = self._chosen(method, created)
            values = {**chosen, **values}
        if method.verb in LISTS:
            empty, absent = choosing(self._types, method.request)
            values = {**empty, **values}
            without += [each for each in absent if each not in values]
        message, left_out = self._templates.json(method.request, values, without)
        for place, reason in left_out:
            self._fields_left_out.add(reason, f"{self._name(method)} {place}")
        return message

    def _chosen(self, method: Method, created: Entity) -> tuple[Mapping[Path, str], list[Path]]:
        """The identifiers that a creating request holds: unique, or left out where the server chooses them."""
        chosen: dict[Path, str] = {}
        fields = self._types.fields(method.request)
        for field in self._types.scalars(method.request):
            if _is_chosen(field, created):
                chosen[field.name,] = unique_value(field)
        # A request with the identifier beside the entity has none within it.
        is_beside = bool(chosen)
        without: list[Path] = []
        for entity in (
            each for each in fields if each.type == each.TYPE_MESSAGE and singular(each.name) == created.kind
        ):
            for field in self._types.scalars(entity.type_name):
                if _is_chosen(field, created):
                    path = (entity.name, field.name)
                    is_text = field.type == field.TYPE_STRING
                    if is_beside or is_set_by_server(field) or not is_text or created.resource:
                        without.append(path)
                    else:
                        chosen[path] = unique_value(field)
        return chosen, without

    def _advise(self, method: Method, link: Link, message: str) -> None:
        for field in link.unknown:
            if f'"{field.json_name}":' in message:
                self._advice.add(
                    "It names what must exist, and is made up: write values that exist.",
                    f"{self._name(method)} {field.name}",
                )


def _short_names(methods: Sequence[Method]) -> Mapping[tuple[str, str], str]:
    """Each method by its own name, or with its service where several have that, and where those are alike in full."""
    names: dict[tuple[str, str], str] = {}
    forms = [
        [each.name for each in methods],
        [f"{each.service}.{each.name}" for each in methods],
        [f"{each.full_service}.{each.name}" for each in methods],
    ]
    for form in reversed(forms):
        counts = Counter(form)
        unique = zip(methods, form, strict=True)
        names |= {(each.full_service, each.name): name for each, name in unique if counts[name] == 1}
    return names


def _is_chosen(field: FieldDescriptorProto, created: Entity) -> bool:
    """Whether a field of a creating request is the identifier of what it creates."""
    is_own = field.name in created.identifiers and not created.is_sent(field.name)
    return is_own or field.name in id_names(created.kind)


def _captured(capture: str, field: FieldDescriptorProto) -> str:
    value = f"${{captured.{capture}}}"
    value = f'"{value}"' if field.type == field.TYPE_STRING else value
    return f"[{value}]" if field.label == field.LABEL_REPEATED else value


def _deletion(entity: Entity) -> Table:
    key: list[Json] = [entity.kind, *(f"${{captured.{each}}}" for each in entity.captures)]
    return {"kind": "delete", "key": key}
