"""Protobuf messages by descriptor: JSON to bytes and back, for any proto file."""

from typing import cast

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from bakeoff.documents.checked import Json
from bakeoff.workload.proto_files import GrpcMethod, ProtoFiles

# Vectors may nest values deeply: the target decides how deep is too deep.
_JSON_RECURSION = 1_000


class ProtoMismatchError(ValueError):
    """A message that its type cannot hold."""


class ProtoCodec(ProtoFiles):
    def method(self, name: str) -> GrpcMethod | None:
        """The method `package.Service/Method`, or None where no proto file declares it."""
        return self.methods.get(name)

    def encode(self, type_name: str, document: Json) -> bytes:
        """The message of this JSON; raises ProtoMismatchError when it does not fit."""
        message = self._class(type_name)()
        try:
            json_format.ParseDict(cast("dict[str, Json]", document), message, max_recursion_depth=_JSON_RECURSION)
            return message.SerializeToString()
        # Lone surrogates, huge numbers and scalars in place of messages surface as other errors than ParseError.
        except (json_format.ParseError, ValueError, OverflowError, TypeError) as error:
            raise ProtoMismatchError(f"does not fit {type_name}: {error}") from error

    def decode(self, type_name: str, content: bytes) -> Json:
        """The message as JSON with all its fields; raises ProtoMismatchError when the bytes are none."""
        try:
            message = self._class(type_name).FromString(content)
        except DecodeError as error:
            raise ProtoMismatchError(f"is no {type_name}: {error}") from error
        return json_format.MessageToDict(message, always_print_fields_with_no_presence=True)

    def parse(self, type_name: str, content: bytes) -> Message:
        """The message itself; raises DecodeError."""
        return self._class(type_name).FromString(content)

    def _class(self, type_name: str) -> type[Message]:
        descriptor: Descriptor = self.pool.FindMessageTypeByName(type_name)
        return message_factory.GetMessageClass(descriptor)
