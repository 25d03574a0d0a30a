"""The cases of `formats/vectors/rendering.json`: small plans, and the events to render from each."""

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

NO_KEYS: dict[str, list[int]] = {}


def _operation(name: str, *variants: list[Any], weight: int = 1, key: int | None = None, path: Any = None) -> Json:
    http = None
    if path is not None:
        http = {"method": "POST", "path": path, "headers": {}, "expect": 200, "reply": {}, "capture": {}}
    return {
        "name": name,
        "weight": weight,
        "key": key,
        "http": http,
        "grpc": None,
        "variants": list(variants),
        "creates": None,
        "needs": None,
        "effect": None,
    }


def _plan(
    *operations: Json,
    seed: str = "0123456789abcdef",
    keys: Sequence[Json] = (),
    size_bytes: int | None = None,
    base_time_ms: int = 1_768_473_000_000,
) -> Json:
    return {
        "run": "00c0ffee",
        "seed": seed,
        "base_time_ms": base_time_ms,
        "keys": list(keys),
        "size_bytes": size_bytes,
        "operations": list(operations),
    }


def _case(
    name: str, plan: Json, events: Sequence[Json], batch: Json | None = None, requests: Sequence[Json] = ()
) -> Json:
    return {"name": name, "plan": plan, "events": list(events), "batch": batch, "requests": list(requests)}


def _event(user: int, sequence: int, acknowledged: dict[str, list[int]] | None = None) -> Json:
    return {"user": user, "sequence": sequence, "acknowledged": acknowledged or NO_KEYS}


def _request(user: int, sequence: int, count: int, acknowledged: dict[str, list[int]]) -> Json:
    return {"user": user, "sequence": sequence, "count": count, "acknowledged": acknowledged}


def _grid(users: Sequence[int], sequences: Sequence[int]) -> list[Json]:
    return [_event(user, sequence) for user in users for sequence in sequences]


def _one_slot(name: str, slot: Json, events: Sequence[Json] | None = None, **plan: Any) -> Json:
    operation = _operation("only", ['{"value":"', slot, '"}'])
    return _case(name, _plan(operation, **plan), events or _grid((0, 7), (0, 1, 4_000_000_000)))


def _key_kind(name: str, reuse: Json | None) -> Json:
    return {"name": name, "format": [f"{name}-", {"slot": "user"}, "-", {"slot": "sequence"}], "reuse": reuse}


KEY = {"slot": "key"}
MEMBERS: list[Any] = ['{"id":"', KEY, '","count":', {"slot": "integer", "min": 1, "max": 9}, "}"]
KNOWN = [3, 8, 20, 21, 34, 55, 89, 144]


def _reuse(name: str, reuse: Json | None) -> Json:
    plan = _plan(_operation("keyed", MEMBERS, key=0), keys=[_key_kind("thing", reuse)])
    events = [_event(5, 200 + i, {"0": KNOWN[: i % 9]}) for i in range(18)]
    return _case(name, plan, events)


def _padded() -> Json:
    noise = "abcdefghij" * 8
    plain: list[Any] = [
        '{"n":',
        {"slot": "integer", "min": 1, "max": 99999},
        ',"pad":"',
        {"slot": "pad", "text": noise},
    ]
    accents: list[Any] = ['{"ü":"', {"slot": "choice", "choices": ["é", "plain", "漢字", "🚗"]}, '","pad":"']
    accents += [{"slot": "pad", "text": noise}, '","end":"', {"slot": "alphanumeric", "length": 5}, '"}']
    plan = _plan(_operation("padded", [*plain, '"}'], accents), size_bytes=72)
    return _case("pad reaches the size in bytes, also with characters of several bytes", plan, _grid((0, 1), range(6)))


def _named(name: str, slot: Json) -> Json:
    return {"slot": "named", "name": name, "of": slot}


def _value(name: str) -> Json:
    return {"slot": "value", "name": name}


def _values() -> Json:
    count = _named("count", {"slot": "integer", "min": 1, "max": 99})
    word = _named("word", {"slot": "alphanumeric", "length": 4})
    message: list[Any] = ['{"a":', count, ',"b":"', word, '","again":"', _value("word"), "-", _value("count"), '"}']
    page = _named("page", {"slot": "integer", "min": 1, "max": 5})
    path: list[Any] = ["/", _value("word"), "?page=", page, "&same=", _value("page"), "&of=", _value("count")]
    return _case(
        "named values in message and path", _plan(_operation("named", message, path=path)), _grid((0, 3), (0, 1))
    )


def _mixture() -> Json:
    keys = [
        _key_kind("car", {"share": 0.5, "pick": "uniform"}),
        _key_kind("loan", {"share": 1, "pick": "zipf", "s": 1.1}),
    ]
    keys.append(
        {"name": "free", "format": [{"slot": "run"}, "/", {"slot": "user"}, ":", {"slot": "sequence"}], "reuse": None}
    )
    plan = _plan(
        _operation("car", MEMBERS, ["[", KEY, "]"], weight=3, key=0, path=["/cars/", KEY]),
        _operation("loan", MEMBERS, key=1, path=["/loans"]),
        _operation("free", [KEY], weight=2, key=2),
        _operation("none", ["no key ", {"slot": "run"}], [""], ["third ", {"slot": "sequence"}], weight=4),
        keys=keys,
        seed="fedcba9876543210",
    )
    known = {"0": [0, 4, 9], "1": [2, 3]}
    return _case("weights, variants, several kinds of keys, paths", plan, [_event(1, i, known) for i in range(24)])


def _body(name: str, kind: str, *variants: list[Any]) -> Json:
    operation = _operation("sent", *variants, path=["/"])
    return _case(name, _plan({**operation, "body": kind}), _grid((0, 3), (0, 1, 2)))


def _form() -> Json:
    text = {"slot": "choice", "choices": ["two words", "ä&=+%", "~*-._", "漢字🚗", ""]}
    number = {"slot": "integer", "min": -5, "max": 5}
    fields: list[Any] = ['{"text":"', text, '","number":', number, ',"is":true,"half":0.50,"none":null,"empty":""']
    lists: list[Any] = [',"list":["a b",', number, ',null,false],"quoted name \\"é\\"":"line\\r\\n\\u00e9\\/"}']
    return _body("a form", "form", [*fields, *lists], ["{}"])


def _multipart() -> Json:
    random = {"slot": "alphanumeric", "length": 8}
    fields: list[Any] = ['{"title":"', random, '","count":3,"tags":["x","y"],"none":null,"photo":{"filename":"']
    file: list[Any] = [random, '.png","content_type":"image/png","base64":"', random, '"},"notes":[{"filename":"a']
    rest: list[Any] = [' \\"b\\".txt","text":"grün\\n"},{"filename":"empty","text":""}],"na\\"me\\r\\n":"é",']
    json: list[Any] = ['"meta":{"content_type":"application/json","text":"{\\"id\\":\\"', random, '\\"}"}}']
    return _body("parts with files", "multipart", [*fields, *file, *rest, *json])


def _binary() -> Json:
    return _body("bytes", "binary", [{"slot": "alphanumeric", "length": 16}], ["AAEC/f7/"], ["", ""])


def _batch() -> Json:
    plan = _plan(_operation("keyed", MEMBERS, key=0), keys=[_key_kind("thing", {"share": 0.75, "pick": "uniform"})])
    batch = {"open": "[", "separator": ", ", "close": "]"}
    requests = [_request(2, 10, 4, {"0": [1, 5, 9]}), _request(2, 14, 1, {}), _request(3, 0, 3, {"0": []})]
    return _case("a batch takes its events sequence by sequence", plan, [], batch, requests)


CASES: tuple[Json, ...] = (
    _one_slot("uuid", {"slot": "uuid"}),
    _one_slot("integer", {"slot": "integer", "min": -5, "max": 5}),
    _one_slot("integer of one value", {"slot": "integer", "min": 42, "max": 42}),
    _one_slot("integer of a wide range", {"slot": "integer", "min": 0, "max": 9_007_199_254_740_990}),
    _one_slot("decimal", {"slot": "decimal", "min": 5000, "max": 200000, "scale": 2}),
    _one_slot(
        "decimal below one, negative", {"slot": "decimal", "min": -120, "max": 20, "scale": 3}, _grid((4,), range(9))
    ),
    _one_slot("decimal never ends in 0", {"slot": "decimal", "min": 9, "max": 11, "scale": 1}, _grid((0,), range(12))),
    _one_slot(
        "decimal at its end goes down", {"slot": "decimal", "min": 19, "max": 20, "scale": 1}, _grid((0,), range(8))
    ),
    _one_slot("choice", {"slot": "choice", "choices": ["", "a", "b c", "ß", "🚗"]}, _grid((0,), range(10))),
    _one_slot("alphanumeric", {"slot": "alphanumeric", "length": 40}),
    _one_slot("alphanumeric of nothing", {"slot": "alphanumeric", "length": 0}, _grid((0,), (0,))),
    _one_slot("date", {"slot": "date", "from": 1999, "to": 2032}, _grid((0, 1), range(6))),
    _one_slot("date of one leap year", {"slot": "date", "from": 2024, "to": 2024}, _grid((9,), range(6))),
    _one_slot("timestamp", {"slot": "timestamp"}, _grid((0, 7, 999, 1000, 2345), (0, 59, 86_399))),
    _one_slot("timestamp from the epoch", {"slot": "timestamp"}, _grid((0, 1), (0, 951_782_400)), base_time_ms=0),
    _one_slot("user", {"slot": "user"}),
    _one_slot("sequence", {"slot": "sequence"}),
    _one_slot("sequence modulo", {"slot": "sequence", "modulo": 3}),
    _one_slot("run", {"slot": "run"}, _grid((0,), (0,))),
    _one_slot("seed of zeros", {"slot": "uuid"}, seed="0000000000000000"),
    _one_slot("seed of ones", {"slot": "uuid"}, seed="ffffffffffffffff"),
    _case(
        "draws go from left to right over every slot",
        _plan(
            _operation(
                "all",
                [
                    {"slot": "integer", "min": 0, "max": 9},
                    " ",
                    {"slot": "uuid"},
                    " ",
                    {"slot": "timestamp"},
                    " ",
                    {"slot": "alphanumeric", "length": 3},
                    " ",
                    {"slot": "date", "from": 2000, "to": 2001},
                    " ",
                    {"slot": "choice", "choices": ["x", "y", "z"]},
                    " ",
                    {"slot": "decimal", "min": 101, "max": 999, "scale": 2},
                    " ",
                    {"slot": "user"},
                ],
            )
        ),
        _grid((0, 4_294_967_295), (0, 1, 4_294_967_295)),
    ),
    _case("literals beyond ASCII", _plan(_operation("text", ['{"ключ":"große Straße 🚗 漢字"}'])), _grid((0,), (0,))),
    _reuse("keys are never reused without a rule", None),
    _reuse("keys are never reused with a share of 0", {"share": 0, "pick": "uniform"}),
    _reuse("uniform reuse of every acknowledged key", {"share": 1, "pick": "uniform"}),
    _reuse("uniform reuse of half", {"share": 0.5, "pick": "uniform"}),
    _reuse("zipf reuse, exponent above 1", {"share": 1, "pick": "zipf", "s": 1.3}),
    _reuse("zipf reuse, exponent below 1", {"share": 1, "pick": "zipf", "s": 0.7}),
    _reuse("zipf reuse, exponent 1", {"share": 1, "pick": "zipf", "s": 1}),
    _reuse(
        "shared keys, uniform, in the place of half of the new ones", {"share": 0.5, "pick": "uniform", "shared": 4}
    ),
    _reuse("shared keys, zipf", {"share": 1, "pick": "zipf", "s": 0.99, "shared": 1000}),
    _padded(),
    _mixture(),
    _values(),
    _form(),
    _multipart(),
    _binary(),
    _batch(),
)
