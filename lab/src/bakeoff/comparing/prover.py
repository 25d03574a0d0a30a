"""Proves contenders before they are measured: by conformance, a smoke run and a crash of the database."""

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.comparing.measurer import Measurer
from bakeoff.comparing.proofs import around_target, durability_proof, prove
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import BakeoffError
from bakeoff.running.contender import Contender
from bakeoff.running.modes import SMOKE
from bakeoff.running.proof import Proof
from bakeoff.running.run_request import RunRequest


class Prover:
    """Skips contenders that fail conformance or smoke. A target with the same settings conforms once for all."""

    def __init__(self, measurer: Measurer, request: ComparisonRequest) -> None:
        self._measurer = measurer
        self._request = request
        self._proofs: dict[tuple[object, ...], Proof] = {}

    def prove_all(self, contenders: Sequence[Contender]) -> list[Contender]:
        """The contenders that may be measured, with their proofs; the others are refused."""
        return [proven for each in contenders if (proven := self._prove(each)).proof.problem is None]

    def _prove(self, contender: Contender) -> Contender:
        checks = [self._conformance, self._smoke, self._durability]
        for check in checks[:1] if self._request.mode == "smoke" else checks:
            contender = replace(contender, proof=check(contender))
            if contender.proof.problem is not None:
                self._measurer.recorder.refuse(contender, contender.proof.problem)
                break
        return contender

    def _conformance(self, contender: Contender) -> Proof:
        variant, target = contender.variant, contender.target
        settings = (*around_target(variant), *sorted(variant.settings.items()))
        state = (target.name, variant.runs_in, target.directory, variant.tls, variant.token, settings)
        if state not in self._proofs:
            testbed, again = self._measurer.testbed.of(contender), self._request.prove
            self._proofs[state] = prove(testbed, target, contender.workload, variant, again=again)
        return self._proofs[state]

    def _smoke(self, contender: Contender) -> Proof:
        (result,) = self._measurer.measure(RunRequest(contender, "smoke", SMOKE, options=self._request))
        return replace(contender.proof, problem=self._measurer.recorder.problem_with(result))

    def _durability(self, contender: Contender) -> Proof:
        """Has a problem where it could not be tried. A contender that lost writes is measured, and ranked apart."""
        try:
            testbed = self._measurer.testbed.of(contender)
            proof = durability_proof(testbed, contender, again=self._request.prove)
        except BakeoffError as error:
            return replace(contender.proof, problem=error.message)
        return replace(contender.proof, durability=proof)
