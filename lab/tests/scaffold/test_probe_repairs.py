"""Changes that a probe tries, without a service."""

import pytest

from bakeoff.conformance.service import Reply
from bakeoff.scaffold.probe.repairs import Known, changes_for
from bakeoff.workload.declaration import HttpCall, Operation


def test_a_creation_captures_what_replaces_a_made_up_part_of_its_path() -> None:
    orgs = Operation(name="list", http=HttpCall(method="GET", path="/orgs", expect=200))
    capture = {"id": "/id", "org": "sent:org-${value.org}"}
    path = "/orgs/org-${org=alphanumeric 8}/things"
    add = Operation(name="add", http=HttpCall(method="POST", path=path, expect=201, capture=capture), creates="thing")
    known = Known("http", {"list": orgs, "add": add}, {"list": Reply(200, 200, document=[{"id": "a"}])}, {})

    change = next(iter(changes_for(add, Reply(404, 404), known)))

    changed = change.operations["add"]
    assert changed.http is not None
    assert (changed.needs, changed.http.path) == ("org", "/orgs/${captured.id}/things")
    assert changed.http.capture == {"id": "/id", "org": "sent:${captured.id}"}


@pytest.mark.parametrize("code", [400, 409, 422, 500])
def test_objects_and_lists_are_left_out_one_by_one_and_together(code: int) -> None:
    message = (
        '{"name":"${alphanumeric 8}","photo":{"id":"${uuid}"},"owner":{"id":"${captured.id}"},"tags":["a"],"size":3}'
    )
    add = Operation(name="add", http=HttpCall(method="POST", path="/pets", expect=201), message=message)
    known = Known("http", {"add": add}, {}, {})

    changes = [each for each in changes_for(add, Reply(code, str(code)), known) if "left out" in each.words]

    assert [each.words for each in changes] == [
        *(f"is refused with {name}, which is left out" for name in ("name", "photo", "tags", "size")),
        "is refused with photo and tags, which are left out",
    ]
    assert changes[-1].operations["add"].message == (
        '{"name":"${alphanumeric 8}","owner":{"id":"${captured.id}"},"size":3}'
    )
