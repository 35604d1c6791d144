"""The reference cases beside which a film is scored: read from a bank, drawn without leakage."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from pydantic import ValidationError

from ...core.bank import Bank, Reference
from ...core.seeds import seed_for
from ...errors import InputError

THIRDS = 3
"""Parts of the range of a bank's scores; a round has one reference of each (long-code.md, 3)."""
NONE = ""
"""The setting of a run without references (B = none)."""


@dataclass(frozen=True)
class OpenBank:
    """A bank that was read, and the hash of its file."""

    bank: Bank
    sha256: str
    name: str

    @property
    def label(self) -> str:
        """How results name it."""
        return f"{self.name} sha256:{self.sha256[:16]}"


def open_bank(path: str) -> OpenBank | None:
    """The bank in this file; ``None`` where none is named.

    Raises:
        InputError: it cannot be read, or is no bank.
    """
    if path == NONE:
        return None
    try:
        state = Path(path).stat()
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            f"the bank of references {path} cannot be read: {why}", hint="check the path"
        ) from None
    return _opened(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _opened(path: str, changed: int, size: int) -> OpenBank:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"the bank of references {path} cannot be read: {error.strerror or error}") from None
    try:
        bank = Bank.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "the document"
        raise InputError(
            f"{path} is no bank of references: {where}: {first['msg'][:200]}",
            hint="longtake bank makes one; longtake schema bank tells its form",
        ) from None
    return OpenBank(bank, hashlib.sha256(data).hexdigest(), Path(path).name)


def third_of(score: float, low: float, high: float) -> int:
    """In which third of the range from ``low`` to ``high`` a score lies, from 0."""
    return 0 if high <= low else min(THIRDS - 1, int((score - low) / (high - low) * THIRDS))


def drawn(bank: Bank, film: str, brief: str, rounds: int) -> list[tuple[Reference, ...]] | str:
    """For each round one reference of each third of the range of the bank's scores; or why there are none.

    Never the film itself, nor one of the same brief. A reference comes again only where its third has no
    other left. The draw is keyed by the brief and the round, so that all films of one brief, damaged or made
    by whomever, are scored beside the same references, whatever they are called.
    """
    scores = [r.score for r in bank.references]
    low, high = min(scores), max(scores)
    if high <= low:
        return f"no_references: all references of the bank have the score {low:g}"
    free = [r for r in bank.references if r.film != film and r.brief != brief]
    pools = [[r for r in free if third_of(r.score, low, high) == n] for n in range(THIRDS)]
    if empty := [str(n + 1) for n, pool in enumerate(pools) if not pool]:
        where = f"third {', '.join(empty)} of the bank's scores ({low:g} to {high:g})"
        return f"no_references: in {where} there is none that is neither this film nor of its brief"
    orders = [_shuffled(pool, brief, n) for n, pool in enumerate(pools)]
    return [tuple(order[number % len(order)] for order in orders) for number in range(rounds)]


def _shuffled(pool: list[Reference], brief: str, third: int) -> list[Reference]:
    ordered = sorted(pool, key=lambda r: (r.case, r.film))
    Random(seed_for(f"{brief} {third}", "long-code", 0)).shuffle(ordered)
    return ordered
