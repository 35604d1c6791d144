"""The table that all analyses read: one row a film, one column a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...core.cohort import Kind, Metric

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class CohortTable:
    """Diagnoses as arrays.

    ``value`` (cases, metrics) is in [0, 1], NaN where it is not scored; ``applies`` of that shape is false
    where a metric does not apply. ``brief`` names the cluster of each case: films of one brief are not
    independent of each other. ``columns`` are what cases are grouped by, ``None`` where a case does not say.
    ``by_profile`` (cases, profiles) is the overall score under each profile without the factor of hard
    constraints, ``with_constraints`` with it, NaN where there is none.

    Raises:
        ValueError: the arrays are not of one size, or a value stands where nothing applies.
    """

    case: Sequence[str]
    brief: Sequence[str]
    metrics: Sequence[Metric]
    value: Floats
    applies: Flags
    columns: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    profiles: Sequence[str] = ()
    by_profile: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    with_constraints: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        shape = (len(self.case), len(self.metrics))
        given = {"value": self.value.shape, "applies": self.applies.shape}
        if self.profiles:
            given |= {"by_profile": self.by_profile.shape, "with_constraints": self.with_constraints.shape}
        for name, found in given.items():
            wanted = shape if name in ("value", "applies") else (shape[0], len(self.profiles))
            if found != wanted:
                raise ValueError(f"{name} is {found}, not {wanted}")
        if len(self.brief) != shape[0] or any(len(c) != shape[0] for c in self.columns.values()):
            raise ValueError("columns differ in length")
        if (np.isfinite(self.value) & ~self.applies).any():
            raise ValueError("a value stands where the metric does not apply")

    def rows(self, chosen: Sequence[int]) -> CohortTable:
        """The same of these rows, in this order."""
        at = np.asarray(chosen, np.int64)
        return replace(
            self,
            case=[self.case[i] for i in chosen],
            brief=[self.brief[i] for i in chosen],
            value=self.value[at],
            applies=self.applies[at],
            columns={name: [column[i] for i in chosen] for name, column in self.columns.items()},
            by_profile=self.by_profile[at] if self.profiles else self.by_profile,
            with_constraints=self.with_constraints[at] if self.profiles else self.with_constraints,
        )

    def of(self, *kinds: Kind) -> list[int]:
        """Numbers of the metrics of these kinds."""
        return [k for k, metric in enumerate(self.metrics) if metric.kind in kinds]
