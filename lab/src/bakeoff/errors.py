"""The one error that a person is meant to read."""


class BakeoffError(Exception):
    """Something that stops a command and that its user can do something about.

    `message` is one paragraph: what happened, to what, and what to do next. It is printed without a traceback.
    """

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


class NotFoundError(BakeoffError):
    """No object has the number or name that was asked for."""


class UsageError(BakeoffError):
    """The command line itself cannot be understood."""

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_code=2)


class NothingToCompareError(BakeoffError):
    """The other commit has nothing that the checkout could be compared with: a repository's first measurement."""

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_code=2)
