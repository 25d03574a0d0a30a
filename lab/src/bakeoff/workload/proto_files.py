"""The messages and methods that proto files declare."""

from dataclasses import dataclass

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor

from bakeoff.descriptions.descriptors import descriptor_set
from bakeoff.descriptions.proto_sources import ProtoSource


@dataclass(frozen=True)
class GrpcMethod:
    input: Descriptor
    output: Descriptor

    @property
    def request(self) -> str:
        return self.input.full_name

    @property
    def reply(self) -> str:
        return self.output.full_name


class ProtoFiles:
    """Proto files and their imports; `methods` are keyed `package.Service/Method`."""

    def __init__(self, *protos: ProtoSource) -> None:
        self.pool = descriptor_pool.DescriptorPool()
        self.methods: dict[str, GrpcMethod] = {}
        self._declared: set[str] = set()
        added: set[str] = set()
        for proto in protos:
            for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set(proto)).file:
                if file.name not in added:
                    self._add(file)
                    added.add(file.name)

    def _add(self, file: descriptor_pb2.FileDescriptorProto) -> None:
        names = (
            *(each.name for each in file.message_type),
            *(each.name for each in file.enum_type),
            *(each.name for each in file.service),
        )
        declared = {f"{file.package}.{name}" for name in names}
        if declared & self._declared:
            # A copy by another name, such as a project's own grpc/health/v1/health.proto.
            return
        self._declared |= declared
        self.pool.Add(file)
        for service in self.pool.FindFileByName(file.name).services_by_name.values():
            for method in service.methods:
                self.methods[f"{service.full_name}/{method.name}"] = GrpcMethod(method.input_type, method.output_type)
