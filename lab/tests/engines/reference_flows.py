"""A second reading of formats/README.md: what one user sends, given the replies that it gets.

Logins, needs, captures, sessions, cookies and bodies. It shares no code with the lab or an engine.
`formats/vectors/flows.json` is what it says about `flow_cases`; `python reference_flows.py` in this folder writes that
file again.
"""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from flow_cases import CASES
from reference_rendering import _pick, _render, _weighted, below, encoded, sfc32

VECTORS = Path(__file__).parents[3] / "lab/src/bakeoff/formats/vectors" / "flows.json"

Json = dict[str, Any]


class User:
    """A user's captured values so far."""

    def __init__(self, plan: Json) -> None:
        self.plan = plan
        self.login: Json | None = None
        self.entities: dict[str, list[Json]] = {}
        self.cookies: Json = {}
        # The session, the number of its next step, what it captured, and what it created.
        self.session: int | None = None
        self.step = 0
        self.values: Json = {}
        self.created: dict[str, Json] = {}

    def request(self, sequence: int) -> Json:
        """The user's request of this sequence; `step` says whether it is one of its session."""
        draws = sfc32(self.plan["seed"], 0, sequence)
        operations, sessions = self.plan["operations"], self.plan.get("sessions", [])
        drawn = _weighted([*operations, *sessions], next(draws))
        session, step = self.session, self.step
        if session is None and drawn >= len(operations):
            session, step = drawn - len(operations), 0
        chosen = drawn if session is None else sessions[session]["steps"][step]
        index = self._possible(chosen, 0)
        in_session = session is not None and index == chosen
        operation = operations[index]
        variant = below(next(draws), len(operation["variants"]))
        next(draws)
        pick_draw = next(draws)
        needed = self._entity(operation, pick_draw) or {}
        carried = self.values if in_session and step > 0 else {}
        context: Json = {
            "plan": self.plan, "user": 0, "sequence": sequence, "key": "", "values": {},
            "captured": {**needed, **carried}, "login": self.login,
        }  # fmt: skip
        message = _render(operation["variants"][variant], draws, context, None)
        path = _render(operation["http"]["path"], draws, context, None)
        templates = operation["http"].get("header_templates", {})
        headers = {name: _render(template, draws, context, None) for name, template in templates.items()}
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = encoded(operation["body"], message).decode("latin-1") if "body" in operation else message
        return {
            "operation": index, "method": operation["http"]["method"], "path": path, "headers": headers, "body": body,
            "needed": needed, "session": session if in_session else None, "step": step, "carried": dict(carried),
        }  # fmt: skip

    def take(self, request: Json, reply: Json) -> None:
        """Learns from the reply."""
        operation = self.plan["operations"][request["operation"]]
        expect = operation["http"]["expect"]
        accepted = expect if isinstance(expect, list) else [expect]
        places, earlier = operation["http"]["capture"], request["carried"]
        captured = _captured(places, reply, earlier) if reply["status"] == accepted[0] else None
        if captured is None:
            if request["session"] is not None:
                self.session = None
            return
        self._keep_cookies(reply)
        if isinstance(captured, list):
            self.entities[operation["creates"]] = captured
            captured = {}
        else:
            self._keep(operation, request, captured)
        if request["session"] is not None:
            self._go_on(operation, request, captured)

    def _keep(self, operation: Json, request: Json, captured: Json) -> None:
        if operation.get("login"):
            self.login = captured
        elif operation["creates"] is not None:
            self.entities.setdefault(operation["creates"], []).append(captured)
        if (operation["effect"] or {}).get("kind") == "delete" and operation["needs"] is not None:
            known = self.entities[operation["needs"]]
            self.entities[operation["needs"]] = [each for each in known if each is not request["needed"]]

    def _go_on(self, operation: Json, request: Json, captured: Json) -> None:
        if request["step"] == 0:
            self.values, self.created = {}, {}
        self.values.update(captured)
        if operation["creates"] is not None and captured:
            self.created[operation["creates"]] = captured
        steps = self.plan["sessions"][request["session"]]["steps"]
        self.session, self.step = request["session"], request["step"] + 1
        if self.step == len(steps):
            self.session = None

    def _possible(self, chosen: int, draw: int) -> int:
        """The login first; what creates an entity in the place of what needs one that the user lacks, and so on."""
        operations = self.plan["operations"]
        logins = [index for index, each in enumerate(operations) if each.get("login")]
        if logins and self.login is None:
            return logins[0]
        kind = operations[chosen]["needs"]
        while kind is not None and self._entity(operations[chosen], draw) is None:
            creators = [index for index, each in enumerate(operations) if each["creates"] == kind != each["needs"]]
            chosen = creators[0]
            kind = operations[chosen]["needs"]
        return chosen

    def _entity(self, operation: Json, draw: int) -> Json | None:
        kind = operation["needs"]
        if kind is None:
            return None
        if self.session is not None and self.step > 0 and kind in self.created:
            return self.created[kind]
        known = self.entities.get(kind, [])
        rule = operation.get("pick", {"pick": "uniform"})
        return known[_pick(rule, draw, len(known))] if known else None

    def _keep_cookies(self, reply: Json) -> None:
        for name, value in reply["headers"]:
            if name.lower() == "set-cookie" and self.plan.get("cookies"):
                cookie, _, text = value.partition(";")[0].partition("=")
                self.cookies[cookie] = text


def _captured(places: Json, reply: Json, earlier: Json) -> Json | list[Json] | None:
    """Values by name, those of each item of a list, or None where one is missing; `earlier` ones are counted on."""
    document = json.loads(reply["body"] or "null", parse_int=str)
    lists = [place.split("/*")[0] for place in places.values() if "/*" in place]
    if lists:
        items = _at(document, lists[0])
        return [{name: _at(item, place.split("/*")[1]) for name, place in places.items()} for item in items]
    values = {name: _while(place, document, reply, earlier.get(name)) for name, place in places.items()}
    return None if None in values.values() else values


def _while(place: str, document: Any, reply: Json, earlier: str | None) -> Any:
    """The value at a place with its condition: empty where that does not hold."""
    place, *conditions = place.split(" while ")
    found = _value(place, document, reply) if not place.startswith("count:") else _counted(place, document, earlier)
    for condition in conditions:
        if match := re.fullmatch(r"(<=?) (.*)", condition):
            bound = _value(match[2], document, reply)
            holds = bound is not None and int(found or 0) <= int(bound) - (match[1] == "<")
        elif match := re.fullmatch(r"(.*) has (\d+)", condition):
            holds = len(_at(document, match[1]) or []) >= int(match[2])
        else:
            negated = condition.startswith("not ")
            holds = _at(document, condition.removeprefix("not ")) is (not negated)
        found = found if holds else ""
    return found


def _counted(place: str, document: Any, earlier: str | None) -> str:
    first, step = place.removeprefix("count:").split("+")
    more = int(step) if step.isdecimal() else len(_at(document, step) or [])
    return str(int(earlier or first) + more) if more else ""


def _value(place: str, document: Any, reply: Json) -> Any:
    if place.startswith("optional:"):
        found = _value(place.removeprefix("optional:"), document, reply)
        return "" if found is None else found
    if place.startswith("query:"):
        _, name, inner = place.split(":", 2)
        return _parameter(_value(inner, document, reply) or "", name)
    if not place.startswith("header:"):
        return _at(document, place)
    wanted = place.removeprefix("header:")
    found = [value for name, value in reply["headers"] if name.lower() == wanted.rstrip("/")]
    if not found:
        return None
    if wanted.endswith("/"):
        return found[0].rsplit("/", 1)[-1]
    # An entity tag is captured without its quotes.
    tag = re.fullmatch(r'(?:W/)?"(.*)"', found[0])
    return found[0] if tag is None else tag[1]


def _parameter(text: str, name: str) -> str | None:
    """A parameter of a URL, or of the one that a header Link calls the next."""
    links = re.findall(r"<([^>]*)>([^<]*)", text)
    url = next((url for url, relation in links if 'rel="next"' in relation), "") if links else text
    if name == "":
        return urlsplit(url).query if "?" in url else None
    return next((value for known, value in parse_qsl(urlsplit(url).query) if known == name), None)


def _at(document: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        if isinstance(document, list):
            index = len(document) - 1 if part == "-1" else int(part)
            document = document[index] if 0 <= index < len(document) else None
        else:
            document = (document or {}).get(part)
    return document


def flow(case: Json) -> list[Json]:
    """The user's requests, each with the reply that it gets."""
    user, counts, turns = User(case["plan"]), dict[str, int](), []
    for sequence in range(case["turns"]):
        request = user.request(sequence)
        name = case["plan"]["operations"][request["operation"]]["name"]
        counts[name] = counts.get(name, 0) + 1
        replies = case["replies"][name]
        reply = replies[min(counts[name], len(replies)) - 1]
        filled = json.loads(json.dumps(reply).replace("{n}", str(counts[name])))
        user.take(request, filled)
        sent = {member: request[member] for member in ("operation", "method", "path", "headers", "body")}
        turns.append({"request": sent, "reply": filled})
    return turns


def vectors() -> Json:
    """The whole content of `flows.json`."""
    cases = [{"name": case["name"], "plan": case["plan"], "turns": flow(case)} for case in CASES]
    return {"version": 1, "cases": cases}


def text() -> str:
    """`flows.json` as it is written: one line for each turn."""
    cases = []
    for case in vectors()["cases"]:
        turns = ",\n".join(f"        {_line(turn)}" for turn in case["turns"])
        plan = f'"plan": {_line(case["plan"])}'
        cases.append(
            f'    {{\n      "name": {_line(case["name"])},\n      {plan},\n      "turns": [\n{turns}\n      ]\n    }}'
        )
    return '{\n  "version": 1,\n  "cases": [\n' + ",\n".join(cases) + "\n  ]\n}\n"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    VECTORS.write_text(text(), encoding="utf-8")
