"""Everything that can go wrong in a way a user can mend.

    LongtakeError            1   something that should have worked failed
    ├── UsageError           2   the command or call is wrong
    ├── InputError           3   an input cannot be read or contradicts itself
    ├── MissingError         4   a model, extra or service asked for by name is not there
    ├── BackendError         5   a judge or back end failed and nothing asked of it was scored
    │   └── NoMemoryError        there was no memory for a model
    ├── OutputError          6   the output or the cache cannot be written
    ├── GateError            7   a ``--fail-under`` gate is not met
    └── Stopped            130   stopped by the user

The number is the exit code (``docs/reference/exit-codes.md``).
"""

from __future__ import annotations


class LongtakeError(Exception):
    """A failure with one sentence of what is wrong and, if known, one of what to do.

    ``message`` says what is wrong and where; ``hint`` says what to do about it.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders; the keyword must survive pickling.
        return _rebuild, (type(self), self.message, self.hint)


def told(error: Exception) -> str:
    """How a failure is told in a trace, in one line: an error of ours as it is, any other with its type."""
    said = str(error) if isinstance(error, LongtakeError) else f"{type(error).__name__}: {error}"
    return one_line(said)


def one_line(text: object) -> str:
    """What somebody else's library says, its line ends and other white space as single blanks."""
    return " ".join(str(text).split())


def _rebuild(kind: type[LongtakeError], message: str, hint: str | None) -> LongtakeError:
    return kind(message, hint=hint)


class UsageError(LongtakeError):
    """The command line or the call is wrong."""

    exit_code = 2


class InputError(LongtakeError):
    """An input cannot be read, or contradicts itself."""

    exit_code = 3


class MissingError(LongtakeError):
    """A model, an extra or a service that was asked for by name is missing."""

    exit_code = 4


class BackendError(LongtakeError):
    """A back end failed and nothing that was asked of it could be scored.

    The message often ends in what a library said; it is one line all the same.
    """

    exit_code = 5

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(one_line(message), hint=hint)


class NoMemoryError(BackendError):
    """There was not enough memory for a model: nothing is wrong with its files."""


class OutputError(LongtakeError):
    """The output folder or the cache cannot be written."""

    exit_code = 6


class GateError(LongtakeError):
    """A ``--fail-under`` gate is not met, or its value is unscored."""

    exit_code = 7


class Stopped(LongtakeError):
    """The user stopped the run; what was done is kept."""

    exit_code = 130
