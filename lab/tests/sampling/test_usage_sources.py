from bakeoff.sampling.process_tree import Together, Usage


class Told:
    """A source that reports one usage after another."""

    def __init__(self, *usages: Usage | None, proportional: int | None = None) -> None:
        self._usages = list(usages)
        self._proportional = proportional

    def usage(self) -> Usage | None:
        return self._usages.pop(0)

    def proportional_bytes(self) -> int | None:
        return self._proportional


def test_what_a_source_used_before_it_ended_stays_counted() -> None:
    both = Together([Told(Usage(1.0, 10), None, None), Told(Usage(2.0, 20), Usage(2.5, 30), None)])
    assert [both.usage(), both.usage(), both.usage()] == [Usage(3.0, 30), Usage(3.5, 30), None]


def test_proportional_memory_is_that_of_those_who_tell() -> None:
    assert Together([Told(proportional=5), Told(proportional=7)]).proportional_bytes() == 12
    assert Together([Told(), Told(proportional=7)]).proportional_bytes() == 7
    assert Together([Told()]).proportional_bytes() is None
