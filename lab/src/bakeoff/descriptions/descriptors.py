"""Compiles proto files."""

from functools import cache
from pathlib import Path

from bakeoff.errors import BakeoffError


@cache
def descriptor_set(proto: Path) -> bytes:
    """The encoded FileDescriptorSet of a proto file, its imports included."""
    import tempfile
    from importlib import resources

    from grpc_tools import protoc

    with tempfile.NamedTemporaryFile(suffix=".pb") as out:
        status = protoc.main(
            [
                "protoc",
                f"--proto_path={proto.parent}",
                f"--proto_path={resources.files('grpc_tools') / '_proto'}",
                "--include_imports",
                f"--descriptor_set_out={out.name}",
                str(proto),
            ]
        )
        if status != 0:
            raise BakeoffError(f"{proto} does not compile (protoc's output is above). Correct it.")
        return Path(out.name).read_bytes()
