"""What a check found wrong, told all at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import told


class ConformanceError(AssertionError):
    """Something does not keep to what it promises. The message has a line for each problem; ``problems`` are
    the same as a list."""

    def __init__(self, who: str, problems: list[str]) -> None:
        lines = "\n".join(f"- {problem}" for problem in problems)
        super().__init__(f"{who} does not conform:\n{lines}")
        self.problems = problems


class Problems:
    """Collects problems, each once."""

    def __init__(self, who: str) -> None:
        self.who = who
        self.found: dict[str, None] = {}

    def add(self, problem: str) -> None:
        """One more."""
        self.found.setdefault(problem)

    def unless(self, kept: bool, problem: str) -> None:
        """A problem where something is not kept to."""
        if not kept:
            self.add(problem)

    @contextmanager
    def running(self, what: str) -> Iterator[None]:
        """An exception inside is a problem, and ends the block."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - what is checked may be anybody's
            name, said = type(error).__name__, told(error)
            self.add(f"{what}: it raised {said if said.startswith(name) else f'{name}: {said}'}")

    def settle(self) -> None:
        """Raise :class:`ConformanceError` if there are any."""
        if self.found:
            raise ConformanceError(self.who, list(self.found))
