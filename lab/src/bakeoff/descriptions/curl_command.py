"""A curl command, as it is pasted from documentation, a terminal or a browser, as a request."""

import base64
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, quote_plus

from bakeoff.descriptions.media_types import type_of_name
from bakeoff.descriptions.recorded import FORM, File, RecordedRequest
from bakeoff.errors import UsageError

_ANSI_QUOTED = re.compile(r"\$'((?:\\.|[^'\\])*)'", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v", "0": "\0"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
# Options of curl that change neither the request nor how a load generator sends it, with and without a value.
_FLAGS_WITHOUT_EFFECT = """
-s --silent -S --show-error -v --verbose -i --include -f --fail -# -N --no-buffer --progress-bar --fail-with-body -O
--remote-name -J -g --globoff -q --compressed --no-progress-meter --tcp-nodelay --http1.1 -4 -6 --ipv4 --ipv6
--styled-output --path-as-is --retry-connrefused --retry-all-errors --show-headers
"""
_VALUES_WITHOUT_EFFECT = """
-o --output -w --write-out -D --dump-header -c --cookie-jar --retry --retry-delay --retry-max-time --stderr --trace
--trace-ascii --limit-rate -y -Y --speed-time --speed-limit --max-redirs --keepalive-time
"""
_SHORT_WITH_VALUE = set("XHdFubAeomTxwDcKyYrCEtUzPQ")


@dataclass(frozen=True)
class CurlCommand:
    """The request of a command, and how it is sent.

    `unused` are options without a meaning here, each with the reason. `insecure` and `ca_file` are of TLS.
    """

    request: RecordedRequest
    insecure: bool = False
    ca_file: str | None = None
    client_certificate: str | None = None
    client_key: str | None = None
    unix_socket: str | None = None
    resolve: Sequence[str] = ()
    http2: bool = False
    timeout: str | None = None
    unused: Sequence[str] = ()


def curl_command(line: str, folder: Path | None = None) -> CurlCommand:
    """Raises UsageError for a line that is no curl command or has no URL; files are relative to `folder`."""
    words = _words(line)
    if not words or Path(words[0]).name not in ("curl", "curl.exe"):
        raise UsageError(f"--from-curl takes a command that starts with curl, not {line[:40]!r}. Paste it in quotes.")
    parsed = _Parsed(folder or Path())
    parsed.read(words[1:])
    return parsed.command()


def _words(line: str) -> Sequence[str]:
    joined = re.sub(r"\\\r?\n", " ", line.strip())
    plain = _ANSI_QUOTED.sub(lambda found: shlex.quote(_ESCAPE.sub(_unescaped, found[1])), joined)
    try:
        return shlex.split(plain)
    except ValueError as error:
        raise UsageError(f"--from-curl: {error} in the command. Paste the whole command in quotes.") from error


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567" and len(code) > 1:
        return chr(int(code, 8))
    return _ESCAPES.get(code, code)


@dataclass
class _Parsed:
    folder: Path
    url: str = ""
    method: str = ""
    is_head: bool = False
    is_get: bool = False
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)
    parts: list[tuple[str, str | File]] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    sets: dict[str, str] = field(default_factory=dict)
    resolve: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    def read(self, words: Sequence[str]) -> None:
        waiting = list(words)
        while waiting:
            word = waiting.pop(0)
            if word in ("--next", "-:", ";", "&&", "|", "||"):
                self.unused.append(f"{word} {shlex.join(waiting)}".strip() + " (one command at a time)")
                return
            if word == "--":
                self._address(waiting.pop(0) if waiting else "")
            elif word.startswith("--"):
                self._option(word, waiting)
            elif word.startswith("-") and len(word) > 1:
                self._short(word, waiting)
            else:
                self._address(word)

    def _short(self, word: str, waiting: list[str]) -> None:
        """Letters of one word: flags, up to the first that takes the rest or the next word as its value."""
        for index, letter in enumerate(word[1:], start=1):
            if letter in _SHORT_WITH_VALUE:
                rest = word[index + 1 :]
                self._option(f"-{letter}", [rest] if rest else waiting)
                return
            self._option(f"-{letter}", waiting)

    def _option(self, word: str, waiting: list[str]) -> None:
        name, equals, value = word.partition("=")
        if equals and name.startswith("--"):
            waiting.insert(0, value)
            word = name
        if word in _FLAGS:
            _FLAGS[word](self)
        elif word in _VALUES or word in _VALUES_WITHOUT_EFFECT.split():
            if not waiting:
                raise UsageError(f"--from-curl: {word} has no value.")
            value = waiting.pop(0)
            if word in _VALUES:
                _VALUES[word](self, value)
        elif word not in _FLAGS_WITHOUT_EFFECT.split():
            # What it takes is not known: a word that is no URL and no option is its value.
            has_value = bool(waiting) and not waiting[0].startswith("-") and "://" not in waiting[0]
            self.unused.append(f"{word} {waiting.pop(0)}" if has_value else word)

    def _address(self, word: str) -> None:
        if self.url:
            self.unused.append(f"{word} (a second URL)")
        elif word:
            self.url = word if "://" in word else f"http://{word}"

    def address(self, word: str) -> None:
        self._address(word)

    def header(self, text: str) -> None:
        name, colon, value = text.partition(":")
        if text.startswith("@"):
            for line in self.file(text[1:]).decode("utf-8", "replace").splitlines():
                self.header(line)
        elif colon and value.strip():
            self.headers.append((name.strip(), value.strip()))
        elif colon:
            # curl removes its own header where the value is empty.
            self.sets[f"without {name.strip().lower()}"] = ""
        elif text.endswith(";"):
            self.headers.append((text[:-1].strip(), ""))

    def json(self, text: str) -> None:
        self.add_data(text, keeps_lines=True)
        for name in ("Content-Type", "Accept"):
            if not self._has(name):
                self.headers.append((name, "application/json"))

    def add_data(self, text: str, *, keeps_lines: bool) -> None:
        if not text.startswith("@"):
            self.data.append(text.encode())
        else:
            content = self.file(text[1:])
            self.data.append(content if keeps_lines else content.replace(b"\r", b"").replace(b"\n", b""))

    def add_encoded(self, text: str) -> None:
        found = re.match(r"(?P<name>[^=@]*)(?P<separator>[=@])(?P<value>.*)", text, re.DOTALL)
        name, separator, value = ("", "", text) if found is None else found.group("name", "separator", "value")
        content = self.file(value) if separator == "@" else value.encode()
        self.data.append((f"{name}=" if name else "").encode() + quote_plus(content).replace("+", "%20").encode())

    def add_part(self, text: str, *, is_text: bool = False) -> None:
        name, _, value = text.partition("=")
        if is_text or not value.startswith(("@", "<")):
            text, _, kind = (value, "", "") if is_text else value.partition(";type=")
            text = text if is_text else text.strip('"')
            self.parts.append((name, File(None, text.encode(), kind) if kind else text))
            return
        path, *settings = value[1:].split(";")
        named = dict(each.strip().partition("=")[::2] for each in settings)
        content = self.file(path.strip('"'))
        if value.startswith("<"):
            text = content.decode("utf-8", "replace")
            self.parts.append((name, File(None, content, named["type"]) if "type" in named else text))
        else:
            filename = named.get("filename", Path(path).name).strip('"')
            self.parts.append((name, File(filename, content, named.get("type") or type_of_name(filename))))

    def user(self, text: str) -> None:
        self.headers.append(("Authorization", f"Basic {base64.b64encode(text.encode()).decode()}"))

    def cookie(self, text: str) -> None:
        if "=" in text:
            self.headers.append(("Cookie", text))
        else:
            self.unused.append(f"-b {text} (a file of cookies)")

    def file(self, name: str) -> bytes:
        try:
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise UsageError(f"--from-curl: {name} cannot be read: {error.strerror}.") from error

    def note(self, word: str, value: str, why: str) -> None:
        self.unused.append(f"{word} {value} ({why})".replace("  ", " "))

    def _has(self, name: str) -> bool:
        return any(key.lower() == name.lower() for key, _ in self.headers)

    def command(self) -> CurlCommand:
        if not self.url:
            raise UsageError("--from-curl: the command has no URL.")
        body = b"&".join(self.data) if self.data else None
        url = self.url
        queries = [*self.query, *([body.decode("utf-8", "replace")] if self.is_get and body else [])]
        if queries:
            url += ("&" if "?" in url else "?") + "&".join(queries)
        if self.is_get:
            body = None
        if body is not None and not self._has("content-type") and "without content-type" not in self.sets:
            self.headers.append(("Content-Type", FORM))
        usual = "HEAD" if self.is_head else "POST" if body is not None or self.parts else "GET"
        if body is None and "upload" in self.sets:
            usual, body = "PUT", self.file(self.sets["upload"])
        if "@" in url.partition("://")[2].partition("/")[0] and not self._has("authorization"):
            self.user(url.partition("://")[2].partition("@")[0])
        url = re.sub(r"://[^/@]*@", "://", url)
        request = RecordedRequest(self.method or usual, _encoded(url), self.headers, body, self.parts)
        return CurlCommand(
            request,
            insecure="insecure" in self.sets,
            ca_file=self.sets.get("ca_file"),
            client_certificate=self.sets.get("client_certificate"),
            client_key=self.sets.get("client_key"),
            unix_socket=self.sets.get("unix_socket"),
            resolve=self.resolve,
            http2="http2" in self.sets,
            timeout=self.sets.get("timeout"),
            unused=self.unused,
        )


def _encoded(url: str) -> str:
    """A URL in ASCII, without its fragment."""
    return quote(url.partition("#")[0], safe="%/:?&=+$,;@!*'()[]~-._|\\\"<>^`{}").replace(" ", "%20")


def _set(name: str) -> Callable[[_Parsed, str], None]:
    return lambda parsed, value: parsed.sets.__setitem__(name, value)


def _flag(name: str) -> Callable[[_Parsed], None]:
    return lambda parsed: parsed.sets.__setitem__(name, "")


def _member(name: str) -> Callable[[_Parsed], None]:
    return lambda parsed: setattr(parsed, name, True)


def _noted(word: str, why: str) -> Callable[[_Parsed, str], None]:
    return lambda parsed, value: parsed.note(word, value, why)


_REDIRECTS = "redirects are not followed"
_FLAGS: Mapping[str, Callable[[_Parsed], None]] = {
    **dict.fromkeys(("-k", "--insecure"), _flag("insecure")),
    **dict.fromkeys(("-I", "--head"), _member("is_head")),
    **dict.fromkeys(("-G", "--get"), _member("is_get")),
    **dict.fromkeys(("--http2", "--http2-prior-knowledge"), _flag("http2")),
    **dict.fromkeys(("-L", "--location", "--location-trusted"), lambda parsed: parsed.note("-L", "", _REDIRECTS)),
}
_VALUES: Mapping[str, Callable[[_Parsed, str], None]] = {
    "--url": _Parsed.address,
    **dict.fromkeys(("-X", "--request"), lambda parsed, value: setattr(parsed, "method", value.upper())),
    **dict.fromkeys(("-H", "--header"), _Parsed.header),
    **dict.fromkeys(("-d", "--data", "--data-ascii"), lambda parsed, value: parsed.add_data(value, keeps_lines=False)),
    "--data-raw": lambda parsed, value: parsed.data.append(value.encode()),
    "--data-binary": lambda parsed, value: parsed.add_data(value, keeps_lines=True),
    "--data-urlencode": _Parsed.add_encoded,
    "--json": _Parsed.json,
    **dict.fromkeys(("-F", "--form"), _Parsed.add_part),
    "--form-string": lambda parsed, value: parsed.add_part(value, is_text=True),
    **dict.fromkeys(("-u", "--user"), _Parsed.user),
    "--oauth2-bearer": lambda parsed, value: parsed.headers.append(("Authorization", f"Bearer {value}")),
    **dict.fromkeys(("-b", "--cookie"), _Parsed.cookie),
    **dict.fromkeys(("-A", "--user-agent"), lambda parsed, value: parsed.headers.append(("User-Agent", value))),
    **dict.fromkeys(("-e", "--referer"), lambda parsed, value: parsed.headers.append(("Referer", value))),
    **dict.fromkeys(("-r", "--range"), lambda parsed, value: parsed.headers.append(("Range", f"bytes={value}"))),
    "--url-query": lambda parsed, value: parsed.query.append(value),
    **dict.fromkeys(("-T", "--upload-file"), _set("upload")),
    "--cacert": _set("ca_file"),
    **dict.fromkeys(("-E", "--cert"), _set("client_certificate")),
    "--key": _set("client_key"),
    "--unix-socket": _set("unix_socket"),
    "--resolve": lambda parsed, value: parsed.resolve.append(value),
    **dict.fromkeys(("-m", "--max-time"), _set("timeout")),
    "--connect-timeout": lambda _parsed, _value: None,
    **dict.fromkeys(("-x", "--proxy"), _noted("-x", "no proxy is used")),
}
