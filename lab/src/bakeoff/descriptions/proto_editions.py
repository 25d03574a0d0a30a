"""Files of Protobuf editions as proto2 files of the same messages: engines know proto2 and proto3 alone."""

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorSet
from google.protobuf.message import Message


def without_editions(descriptor_set: bytes) -> bytes:
    """The encoded FileDescriptorSet, each feature of an edition written as proto2 writes it."""
    files = FileDescriptorSet.FromString(descriptor_set)
    edited = [file for file in files.file if file.syntax == "editions"]
    if not edited:
        return descriptor_set
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    for file in edited:
        known = pool.FindFileByName(file.name)
        for message in file.message_type:
            _rewrite(message, known.message_types_by_name[message.name])
        for extension in file.extension:
            _rewrite_field(extension, known.extensions_by_name[extension.name])
        _clear_features(file)
        file.syntax = "proto2"
        file.ClearField("edition")
    return files.SerializeToString()


def _rewrite(message: DescriptorProto, known: Descriptor) -> None:
    for field in message.field:
        _rewrite_field(field, known.fields_by_name[field.name])
    for inner in message.nested_type:
        _rewrite(inner, known.nested_types_by_name[inner.name])


def _rewrite_field(field: FieldDescriptorProto, known: FieldDescriptor) -> None:
    field.type = FieldDescriptorProto.Type.ValueType(known.type)
    if known.is_required:
        field.label = FieldDescriptorProto.LABEL_REQUIRED
    if known.is_packed:
        field.options.packed = True


def _clear_features(entry: Message) -> None:
    for field, value in entry.ListFields():
        if field.name == "features":
            entry.ClearField("features")
        elif field.type == field.TYPE_MESSAGE:
            for each in value if field.is_repeated else [value]:
                _clear_features(each)
