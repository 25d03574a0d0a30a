"""Records what Enduro/X answers: `NDRX_HOME=… python record.py REQUESTS ANSWERS`, within a running domain.

REQUESTS is the `unrecorded.txt` of a run against the recorded library (home.sh), and ANSWERS is `answers.txt`, to which
new answers are added. The variables NDRX_* must be those of a domain with sample servers, such as that of
`./bakeoff up transaction-gateway-endurox` (from /proc/PID/environ of its gateway).
"""

import ctypes
import os
import re
import struct
import sys
from pathlib import Path

MAGIC = 0x21464255
FIELD_BITS, NESTED = 25, 10
TPNOTIME, TPSENDONLY, TPRECVONLY = 0x20, 0x800, 0x1000
TPEEVENT, TPEV_SVCSUCC, TPESVCFAIL = 22, 8, 11
PART_BYTES = 4096
FEWEST_EQUAL = 16


class Library:
    """Enduro/X's C functions."""

    def __init__(self, home: Path) -> None:
        folder = next(home / name for name in ("lib", "lib64") if (home / name / "libatmi.so").exists())
        loaded = [ctypes.CDLL(str(folder / f"lib{name}.so"), ctypes.RTLD_GLOBAL) for name in ("nstd", "ubf", "atmi")]
        self.ubf, self.atmi = loaded[1:]
        self.atmi.tpalloc.restype = ctypes.c_void_p
        self.atmi._exget_tperrno_addr.restype = ctypes.POINTER(ctypes.c_int)
        self.ubf.Bused.restype = ctypes.c_long

    def error(self) -> int:
        return int(self.atmi._exget_tperrno_addr()[0])

    def call(self, service: str, kind: str, content: bytes) -> tuple[int, int, str, bytes]:
        """The error of the call, that of the reply, and the reply's type and content."""
        if kind == "CONVERSATION":
            return 0, *self.converse(service, content)
        data = self.typed(kind, content)
        length = ctypes.c_long(len(content) if kind == "CARRAY" else 0)
        descriptor = self.atmi.tpacall(service.encode(), ctypes.c_void_p(data), length, ctypes.c_long(TPNOTIME))
        if descriptor < 0:
            return self.error(), 0, "NULL", b""
        taken, reply = ctypes.c_int(descriptor), ctypes.c_void_p(self.atmi.tpalloc(b"STRING", None, ctypes.c_long(64)))
        got = ctypes.c_long()
        flags = ctypes.c_long(TPNOTIME)
        status = self.atmi.tpgetrply(ctypes.byref(taken), ctypes.byref(reply), ctypes.byref(got), flags)
        return 0, self.error() if status < 0 else 0, *self.content_of(reply.value, got.value)

    def converse(self, service: str, content: bytes) -> tuple[int, str, bytes]:
        """The same of a conversation: bytes in parts, and bytes in parts until an event ends it."""
        connection = self.atmi.tpconnect(service.encode(), None, ctypes.c_long(0), ctypes.c_long(TPSENDONLY))
        assert connection >= 0, self.error()
        event, received = ctypes.c_long(), b""
        for start in range(0, len(content), PART_BYTES):
            part = content[start : start + PART_BYTES]
            flags = ctypes.c_long(TPRECVONLY if start + PART_BYTES >= len(content) else 0)
            data = ctypes.c_void_p(self.typed("CARRAY", part))
            assert self.atmi.tpsend(connection, data, ctypes.c_long(len(part)), flags, ctypes.byref(event)) == 0
        while True:
            reply, got = ctypes.c_void_p(self.typed("CARRAY", b"")), ctypes.c_long()
            places = ctypes.byref(reply), ctypes.byref(got)
            status = self.atmi.tprecv(connection, *places, ctypes.c_long(0), ctypes.byref(event))
            error = self.error() if status < 0 else 0
            received += self.content_of(reply.value, got.value)[1]
            if error:
                assert error == TPEEVENT, error
                return 0 if event.value == TPEV_SVCSUCC else TPESVCFAIL, "CARRAY", received

    def typed(self, kind: str, content: bytes) -> int | None:
        """A typed buffer with this content."""
        if kind == "NULL":
            return None
        room = ctypes.c_long(max(1, 4 * len(content) + 4096 if kind == "UBF" else len(content)))
        data = self.atmi.tpalloc(kind.encode(), None, room)
        if kind != "UBF":
            ctypes.memmove(data, content, len(content))
            return int(data)
        place = 8
        while place < len(content):
            field, length = struct.unpack_from("=II", content, place)
            value = content[place + 8 : place + 8 + length]
            is_nested = field >> FIELD_BITS == NESTED
            source = ctypes.c_void_p(self.typed("UBF", value)) if is_nested else ctypes.c_char_p(value)
            assert self.ubf.Badd(ctypes.c_void_p(data), field, source, length) == 0
            place += 8 + (length + 7) // 8 * 8
        return int(data)

    def content_of(self, data: int | None, length: int) -> tuple[str, bytes]:
        if data is None:
            return "NULL", b""
        kind, subtype = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
        self.atmi.tptypes(ctypes.c_void_p(data), kind, subtype)
        name = kind.value.decode()
        if name == "UBF":
            return name, self.fielded(data)
        return name, ctypes.string_at(data) + b"\0" if name == "STRING" else ctypes.string_at(data, length)

    def fielded(self, data: int) -> bytes:
        """The values of a fielded buffer, as libendurox.c keeps them."""
        used = self.ubf.Bused(ctypes.c_void_p(data))
        field, occurrence, values = ctypes.c_int(0), ctypes.c_int(0), []
        while True:
            value, length = ctypes.create_string_buffer(used), ctypes.c_int(used)
            of_value = (ctypes.byref(field), ctypes.byref(occurrence), value, ctypes.byref(length))
            if self.ubf.Bnext(ctypes.c_void_p(data), *of_value) != 1:
                break
            values.append((field.value, value, length.value))
        content = b""
        for number, stored, used in values:
            is_nested = number >> FIELD_BITS == NESTED
            own = self.fielded(ctypes.addressof(stored)) if is_nested else stored.raw[:used]
            content += struct.pack("=II", number, len(own)) + own.ljust((len(own) + 7) // 8 * 8, b"\0")
        return struct.pack("=II", MAGIC, 8 + len(content)) + content


def bytes_of(text: str) -> bytes:
    """Content as libendurox.c writes it: hexadecimal digits, and 78*20; for 20 equal bytes."""
    plain = re.sub(r"(..)\*(\d+);", lambda found: found[1] * int(found[2]), text)
    return b"" if text == "-" else bytes.fromhex(plain)


def text_of(content: bytes) -> str:
    """The inverse of `bytes_of`."""
    runs = (found[0] for found in re.finditer(rb"(?s)(.)\1*", content))
    texts = (f"{run[0]:02x}*{len(run)};" if len(run) >= FEWEST_EQUAL else run.hex() for run in runs)
    return "".join(texts) or "-"


def record(requests: Path, answers: Path) -> None:
    """Adds the answers to requests that have none."""
    known = {" ".join(line.split()[:3]): line for line in answers.read_text().splitlines()}
    library = Library(Path(os.environ["NDRX_HOME"]))
    assert library.atmi.tpinit(None) == 0, library.error()
    for request in dict.fromkeys(requests.read_text().splitlines()):
        service, kind, digits = request.split()
        call, reply, answered, result = library.call(service, kind, bytes_of(digits))
        known.setdefault(request, f"{request} {call} {reply} {answered} {text_of(result)}")
    library.atmi.tpterm()
    answers.write_text("".join(f"{line}\n" for line in sorted(known.values())))


if __name__ == "__main__":
    record(Path(sys.argv[1]), Path(sys.argv[2]))
