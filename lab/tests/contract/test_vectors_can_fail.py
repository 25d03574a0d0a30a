"""No vector is worthless: the model of the contract passes all of them, and fails each without the rule it is for."""

import pytest
from grpc_reference import GrpcReference
from http_reference import HttpReference
from reference import Reference
from rules import RULES

from bakeoff.conformance.case import Case
from bakeoff.conformance.grpc_protocol import GrpcProtocol, codec_of
from bakeoff.conformance.http_protocol import HttpProtocol
from bakeoff.conformance.runner import CaseProtocol, CaseResult, applicable, load_cases, run_cases
from bakeoff.project import Project
from bakeoff.workload.loader import Workload, load_workload

PROTOCOLS = ("rest", "grpc")
TOKEN = "a-token"


@pytest.fixture(scope="module")
def events(gallery: Project) -> Workload:
    return load_workload(gallery, "events")


@pytest.fixture(scope="module")
def cases(events: Workload) -> tuple[Case, ...]:
    return load_cases(events)


class Speakers:
    """Makes the protocols of a model; the descriptors of gRPC are compiled once."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._codec = codec_of(workload)

    def speaker(self, protocol: str, reference: Reference) -> CaseProtocol:
        if protocol == "rest":
            return HttpProtocol(self._workload, HttpReference(reference).send)
        return GrpcProtocol(self._workload, self._codec, GrpcReference(reference, self._codec).send)


@pytest.fixture(scope="module")
def speakers(events: Workload) -> Speakers:
    return Speakers(events)


def run(
    cases: tuple[Case, ...], protocol: str, speakers: Speakers, without: str | None = None
) -> tuple[CaseResult, ...]:
    """Cases that need a token are for a model that asks for one; the others for one that does not."""
    results: tuple[CaseResult, ...] = ()
    for token in (None, TOKEN):
        reference = Reference(without, token)
        chosen = [case for case in applicable(cases, token) if case.token == (token is not None)]
        results += run_cases(chosen, speakers.speaker(protocol, reference), reference)
    return results


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_contract_passes_every_case(protocol: str, cases: tuple[Case, ...], speakers: Speakers) -> None:
    results = run(cases, protocol, speakers)

    assert {result.case: result.differences for result in results if not result.passed} == {}
    assert len(results) > 100


@pytest.mark.parametrize("rule", RULES)
def test_a_case_fails_without_its_rule(rule: str, cases: tuple[Case, ...], speakers: Speakers) -> None:
    labelled = tuple(case for case in cases if case.rule == rule)

    results = [
        (protocol, result) for protocol in PROTOCOLS for result in run(labelled, protocol, speakers, without=rule)
    ]

    assert [(protocol, result.case) for protocol, result in results if result.passed] == []
    assert results


def test_every_case_is_there_for_a_rule_that_can_be_taken_away(cases: tuple[Case, ...]) -> None:
    assert {case.rule for case in cases} - RULES.keys() == set()


def test_every_rule_has_a_case(cases: tuple[Case, ...]) -> None:
    assert RULES.keys() - {case.rule for case in cases} == set()


def test_an_unknown_rule_cannot_be_taken_away() -> None:
    with pytest.raises(ValueError, match="no rule is named"):
        Reference(without="no-such-rule")
