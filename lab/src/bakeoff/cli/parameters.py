"""Parameters of commands as data."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any


def parameter(name: str, annotation: Any, default: object = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_parameters(
    parameters: Iterable[inspect.Parameter],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a function that takes them by name the signature that the library reads parameters from."""
    signature = inspect.Signature(list(parameters))

    def with_signature(function: Callable[..., None]) -> Callable[..., None]:
        vars(function)["__signature__"] = signature
        return function

    return with_signature
