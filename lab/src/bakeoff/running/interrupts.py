"""Ctrl-C during a run."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def first_interrupt_calls(action: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM calls `action`, so that what was measured is kept; a second one raises as ever.

    Signals reach the main thread only: another one is interrupted by what the main thread's action calls.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        restore()
        action()

    for number in previous:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        restore()
