"""Texts that a schema allows: of its format, its pattern and its length."""

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache

import jsonschema_rs
import rstr

from bakeoff.descriptions.drawn_values import Drawn, Slot, choice
from bakeoff.descriptions.json_members import JsonObject, text_in, whole_in
from bakeoff.descriptions.number_values import number

_LENGTH = 8
_MOST_LENGTH = 1000
_MOST_CHOICES = 8
_MOST_REPEATED = 12
_TRIES = 60
_ALPHABET_ENDS = ("A", "Z", "2", "9")

UUID = Slot("${uuid}", ["01234567-89ab-4cde-8f01-23456789abcd", "fedcba98-7654-4321-b0fe-dcba98765432"])
USER = Slot("${user}", ["0", "1234567"])
SEQUENCE = Slot("${sequence}", ["0", "1234567890"])
RUN = Slot("${run}", ["00000000", "ffffffff"])
_SMALL = Slot("${integer 1 254}", ["1", "254"])
_HOST = Slot("${integer 1 999}", ["1", "999"])
_TWO_DIGITS = Slot("${integer 10 59}", ["10", "59"])
_DAY = Slot("${date 2000 2030}", ["2000-01-01", "2030-12-31"])
_MOMENT = Slot("${timestamp}", ["2026-01-15T10:30:00.000Z", "2026-02-15T10:30:00.999Z"])
_YEAR = Slot("${integer 2000 2030}", ["2000", "2030"])
_HEX = Slot("${integer 1000 9999}", ["1000", "9999"])


def word(length: int) -> Slot:
    """Letters and digits, drawn again for each request."""
    return Slot(f"${{alphanumeric {length}}}", [each * length for each in _ALPHABET_ENDS])


def _base64(*words: str) -> list[str | Slot]:
    return [Slot("", words, words)]


FORMATS: dict[str, Sequence[str | Slot]] = {
    "uuid": [UUID],
    "guid": [UUID],
    "date-time": [_MOMENT],
    "datetime": [_MOMENT],
    "timestamp": [_MOMENT],
    "date": [_DAY],
    "time": ["12:", _TWO_DIGITS, ":00Z"],
    "partial-time": ["12:", _TWO_DIGITS, ":00"],
    "duration": ["PT", _TWO_DIGITS, "M"],
    "year": [_YEAR],
    "email": ["user-", RUN, "-", USER, "-", SEQUENCE, "@example.org"],
    "idn-email": ["user-", RUN, "-", USER, "-", SEQUENCE, "@example.org"],
    "uri": ["https://example.org/", word(_LENGTH)],
    "url": ["https://example.org/", word(_LENGTH)],
    "iri": ["https://example.org/", word(_LENGTH)],
    "uri-reference": ["/", word(_LENGTH)],
    "iri-reference": ["/", word(_LENGTH)],
    "uri-template": ["/", word(_LENGTH)],
    "hostname": ["host-", _HOST, ".example.org"],
    "idn-hostname": ["host-", _HOST, ".example.org"],
    "ipv4": ["192.0.2.", _SMALL],
    "ip": ["192.0.2.", _SMALL],
    "ipv6": ["2001:db8::", _HEX],
    "cidr": ["192.0.2.", _SMALL, "/32"],
    "mac": ["02:00:00:00:00:", _TWO_DIGITS],
    "byte": _base64("QUJD", "REVG", "R0hJ"),
    "base64": _base64("QUJD", "REVG", "R0hJ"),
    "base64url": _base64("QUJD", "REVG", "R0hJ"),
    "json-pointer": ["/", word(_LENGTH)],
    "relative-json-pointer": ["0/", word(_LENGTH)],
    "regex": ["^", word(_LENGTH), "$"],
    "phone": ["+1202555", _HEX],
    "color": ["#", Slot("${integer 100000 999999}", ["100000", "999999"])],
}
_WHOLE_FORMATS = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer", "bigint"}
_DECIMAL_FORMATS = {"float", "double", "decimal", "number"}
_ENCODED: dict[str, Sequence[str | Slot]] = {
    "base64": _base64("QUJD", "REVG", "R0hJ"),
    "base64url": _base64("QUJD", "REVG", "R0hJ"),
    "base32": _base64("IFBEG===", "IRCUM==="),
    "base16": _base64("414243", "444546"),
    "quoted-printable": [word(_LENGTH)],
}


def text(schema: JsonObject, name: str, given: str | None = None) -> Drawn | None:
    """A text for a schema; `given` is an example of it. None where its pattern cannot be followed."""
    least, most = whole_in(schema, "minLength", 0), whole_in(schema, "maxLength", _MOST_LENGTH)
    pattern = text_in(schema, "pattern")
    drawn = [Drawn(parts) for parts in _candidates(schema, name, least, most)]
    found = _fitting(drawn, _whole(pattern), least, most)
    if found is not None:
        return found
    if given is not None:
        return Drawn([given])
    if pattern:
        made = _of_pattern(pattern, least, most)
        if made:
            chosen = choice([each for each in made if matches(_whole(pattern), each)] or made)
            assert isinstance(chosen, Drawn)
            return chosen
        found = _fitting(drawn, pattern, least, most)
    if found is not None:
        return found
    return None if pattern else Drawn([word(min(_MOST_LENGTH, max(1, least, min(most, _LENGTH))))] if most else [""])


def unique_text(schema: JsonObject, prefix: str = "", name: str = "") -> Drawn | None:
    """A text that no other request of any run sends; None where the schema allows none. `prefix` is an example.

    Of telephone numbers nine digits are random, so that two may be alike.
    """
    least, most = whole_in(schema, "minLength", 0), whole_in(schema, "maxLength", _MOST_LENGTH)
    pattern, chosen = text_in(schema, "pattern"), text_in(schema, "format")
    numbered: list[str | Slot] = [USER, "-", SEQUENCE]
    if chosen in ("uuid", "guid"):
        alternatives: list[list[str | Slot]] = [[UUID]]
    elif chosen in ("email", "idn-email"):
        alternatives = [["user-", RUN, "-", *numbered, "@example.org"], ["user-", *numbered, "@example.org"]]
    elif chosen in _WHOLE_FORMATS:
        alternatives = [[Slot("${integer 100000000 999999999}", ["100000000", "999999999"])]]
    elif chosen and chosen not in _DECIMAL_FORMATS and chosen in FORMATS:
        return None
    else:
        alternatives = _like(prefix, name, numbered)
        starts = [prefix, prefix[: max(0, most - 28)], "u"] if prefix else ["u"]
        alternatives += ([f"{start}-", RUN, "-", *numbered] for start in starts if start)
        alternatives += [["u", RUN, "x", USER, "x", SEQUENCE], [UUID], ["u", USER, "-", SEQUENCE]]
        alternatives += [[word(length)] for length in range(min(most, 26), max(least, 6) - 1, -1)]
        alternatives += [[Slot("${integer 100000000 999999999}", ["100000000", "999999999"])]]
    drawn = [Drawn(parts) for parts in alternatives]
    return _fitting(drawn, _whole(pattern), least, most) or _fitting(drawn, pattern, least, most)


def _like(example: str, name: str, numbered: Sequence[str | Slot]) -> list[list[str | Slot]]:
    """Texts of the kind of an example: addresses and the names of hosts and files keep their ends."""
    mail = _MAIL.fullmatch(example)
    digits = _DIGITS.fullmatch(example) if _PHONE.match(name) is not None else None
    if mail is not None:
        return [[f"{mail[1]}-", RUN, "-", *numbered, mail[2]], ["u", *numbered, mail[2]]]
    if digits is not None:
        low = 10 ** (len(digits[2]) - 1)
        return [[digits[1], Slot(f"${{integer {low} {low * 10 - 1}}}", [str(low), str(low * 10 - 1)])]]
    return [["u", RUN, "-", *numbered, "-", example]] if _WITH_END.fullmatch(example) else []


def _fitting(drawn: Sequence[Drawn], pattern: str, least: int, most: int) -> Drawn | None:
    """The first that has the length and matches, by all its samples."""
    return next(
        (
            found
            for found in drawn
            if all(least <= len(each) <= most and matches(pattern, each) for each in found.samples)
        ),
        None,
    )


def _whole(pattern: str) -> str:
    """The pattern of a whole text: a part that matches suffices to JSON Schema, and not to many services."""
    return f"^(?:{pattern})$" if pattern else ""


def matches(pattern: str, value: str) -> bool:
    """Whether a text matches a pattern; a pattern that no regular expression is matches everything."""
    if not pattern:
        return True
    validator = _pattern_validator(pattern)
    return validator is None or validator.is_valid(value)


def is_pattern(pattern: str) -> bool:
    return _pattern_validator(pattern) is not None


@cache
def _pattern_validator(pattern: str) -> jsonschema_rs.Draft202012Validator | None:
    try:
        return jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except (ValueError, jsonschema_rs.ValidationError):
        return None


def _candidates(schema: JsonObject, name: str, least: int, most: int) -> Iterator[Sequence[str | Slot]]:
    chosen, pattern = text_in(schema, "format"), text_in(schema, "pattern")
    if chosen in _WHOLE_FORMATS or chosen in _DECIMAL_FORMATS:
        drawn = number({**schema, "format": ""}, is_whole=chosen in _WHOLE_FORMATS)
        yield drawn.parts if isinstance(drawn, Drawn) else [""]
    if chosen in FORMATS:
        yield FORMATS[chosen]
    if chosen in ("email", "idn-email"):
        yield ["u", USER, "-", SEQUENCE, "@a.org"]
        yield [word(3), "@a.org"]
    if (encoded := _ENCODED.get(text_in(schema, "contentEncoding").lower())) is not None:
        yield encoded
    if _EMAIL.search(name) and not chosen and not pattern:
        yield FORMATS["email"]
    if name and name.isascii() and name.isprintable() and not pattern:
        yield [f"{name}-", word(_LENGTH)]
    lengths = dict.fromkeys([_LENGTH, *(each for each in (least, most) if 1 <= each <= _MOST_LENGTH)])
    if not pattern:
        yield from ([word(length)] for length in lengths if least <= length <= most)
        if least > _MOST_LENGTH:
            yield [word(_MOST_LENGTH), "x" * (least - _MOST_LENGTH)]
        return
    yield [UUID]
    yield from ([word(length)] for length in (*lengths, *range(1, 41)) if least <= length <= most)
    for digits in range(9, 0, -1):
        low = 10 ** (digits - 1)
        yield [Slot(f"${{integer {low} {low * 10 - 1}}}", [str(low), str(low * 10 - 1)])]
    yield [_DAY]
    yield [_MOMENT]


_MAIL = re.compile(r"([^@\s]+)(@[^@\s]+\.[A-Za-z]{2,})")
_PHONE = re.compile(r"(tele)?phone|mobile", re.IGNORECASE)
# What comes before the last nine digits, or fewer, stays.
_DIGITS = re.compile(r"(\+?\d{0,6}?)(\d{6,9})")
_WITH_END = re.compile(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,10}")
_EMAIL = re.compile(r"^e-?mail(_?address)?$", re.IGNORECASE)


@cache
def _of_pattern(pattern: str, least: int, most: int) -> list[str]:
    """Some texts that match a pattern; none where it cannot be followed."""
    generator = rstr.Rstr(random.Random(pattern))  # noqa: S311 - repeatable, not a secret
    found: dict[str, None] = {}
    for _ in range(_TRIES):
        try:
            candidate = generator.xeger(_in_python(pattern, min(_MOST_REPEATED, max(1, most))))
        except (KeyError, ValueError, TypeError, IndexError, re.error, RecursionError, OverflowError):
            break
        candidate += "a" * (least - len(candidate))
        if len(candidate) <= most and candidate.isprintable() and matches(pattern, candidate):
            found[candidate] = None
    return sorted(found, key=len)[:_MOST_CHOICES]


def _in_python(pattern: str, most: int) -> str:
    """A pattern of ECMA 262 in the words of Python, for what has a near equivalent there.

    Repetitions without an end, which would be a hundred long, have `most` at the most.
    """
    pattern = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    pattern = re.sub(
        r"\\p\{(?:L|Alpha|Letter|Lu|Ll|IsAlphabetic|IsLatin|Latin)\}",
        "a-zA-Z" if "[" in pattern else "[a-zA-Z]",
        pattern,
    )
    pattern = re.sub(r"\\p\{(?:N|Nd|Digit)\}", r"\\d", pattern)
    pattern = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda found: re.escape(chr(int(found[1], 16))), pattern)
    pattern = re.sub(r"(\\.|[\])\w.])\+(?![?+])", rf"\1{{1,{most}}}", pattern)
    return re.sub(r"(\\.|[\])\w.])\*(?![?+])", rf"\1{{0,{most}}}", pattern)
