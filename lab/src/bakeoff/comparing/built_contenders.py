"""Contenders as their targets get built."""

from collections.abc import Callable, Collection, Iterator, Sequence

from bakeoff.builds.build import Build
from bakeoff.comparing.build_queue import BuildQueue
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import COMMIT
from bakeoff.running.contender import Contender


class BuiltContenders:
    """The contenders of a comparison whose target has been built; one that does not build is refused."""

    def __init__(
        self,
        queued: BuildQueue,
        engines: Sequence[Build],
        contenders: Sequence[Contender],
        attached: Collection[str],
        refuse: Callable[[str, str], None],
    ) -> None:
        self._queued = queued
        self._engines = engines
        self._contenders = contenders
        self._attached = attached
        self._refuse = refuse
        self._refused: set[str] = set()

    def in_order(self) -> list[Contender]:
        """All that can be measured, in their own order, when everything has been built."""
        self._wait_for_engines()
        return [contender for contender in self._contenders if self._builds(contender)]

    def as_built(self) -> Iterator[Contender]:
        """All that can be measured, each as soon as its target has been built."""
        self._wait_for_engines()
        left = list(self._contenders)
        while left:
            ended = (each for each in left if self._is_attached(each) or self._queued.has_ended(each.target.build))
            ready = next(ended, None)
            if ready is None:
                self._queued.wait_for_any([each.target.build for each in left])
                continue
            left.remove(ready)
            if self._builds(ready):
                yield ready

    def building(self) -> str:
        """The builds that run now, as `a, b`; empty when there are none."""
        return self._queued.names()

    def _wait_for_engines(self) -> None:
        for build in self._engines:
            self._queued.wait_for(build)

    def _is_attached(self, contender: Contender) -> bool:
        return contender.target.name in self._attached

    def _builds(self, contender: Contender) -> bool:
        if self._is_attached(contender):
            return True
        try:
            self._queued.wait_for(contender.target.build)
        except BakeoffError as error:
            # Only one side of a comparison of two commits may fail to build.
            name = contender.key if COMMIT in contender.factors else contender.target.name
            if name not in self._refused:
                self._refused.add(name)
                self._refuse(name, error.message)
            return False
        return True
