"""``check_embedder``: whether an embedder keeps to its port, :class:`longtake.core.embedding.Embedder`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.embedding import Embedder
from ..errors import BackendError
from ..models.vectors import unit
from .problems import Problems

TOLERANCE = 1e-5
"""How far a unit vector of a batch may be from the one made alone, in single precision (the port says so)."""
TEXTS = (
    "a red square on a grey wall",
    "two people walk along a beach at sunset",
    "a dog",
    "Ein Zug fährt über eine Brücke, während es schneit.",
)
WORDS = ("house", "river", "stone", "cloud", "street", "table", "train", "bird")


def check_embedder(embedder: Embedder, *, tolerance: float = TOLERANCE) -> None:
    """Put an embedder through pictures, clips and texts.

    Checked are: what it declares; shapes, type and finite numbers of vectors; the same twice; a batch equal
    to one by one within ``tolerance`` (of unit vectors; 1e-2 in half precision); nothing of nothing; black
    and tiny pictures; tokens counted before anything is cut; and that what lies beyond its token limit is
    not read. One that reads no texts has to refuse them.

    Raises:
        ConformanceError: it does not keep to something; all of it is listed.
    """
    problems = Problems(f"the embedder {embedder.name}")
    _check_declared(embedder, problems)
    problems.settle()
    rng = np.random.default_rng(3)
    sizes = [(96, 160), (64, 64), (200, 120), (33, 47), (1, 1)]
    pictures = [rng.integers(0, 256, (*size, 3)).astype(np.uint8) for size in sizes]
    pictures[1] = np.zeros((64, 64, 3), np.uint8)
    _check_vectors("pictures", embedder.pictures, pictures, embedder, problems, tolerance)
    clips = [[pictures[(i + j) % 3] for j in range(embedder.shape.frames)] for i in range(3)]
    _check_vectors("clips", embedder.clips, clips, embedder, problems, tolerance)
    if embedder.shape.tokens is None:
        _check_refusal(embedder, problems)
    else:
        _check_vectors("texts", embedder.texts, TEXTS, embedder, problems, tolerance)
        with problems.running("texts"):
            _check_tokens(embedder, embedder.shape.tokens, problems, tolerance)
    problems.settle()


def _check_declared(embedder: Embedder, problems: Problems) -> None:
    shape = embedder.shape
    proxy = embedder.kind == "proxy"
    problems.unless(bool(embedder.name), "it has no name")
    problems.unless(embedder.kind in ("model", "proxy"), f"its kind is {embedder.kind!r}")
    problems.unless(proxy == bool(embedder.stands_for), "a proxy, and it alone, says what it stands for")
    problems.unless(isinstance(embedder.licence, str), "its licence is no text")
    for name in ("dimension", "size", "frames"):
        problems.unless(getattr(shape, name) >= 1, f"its {name} is {getattr(shape, name)}")
    problems.unless(shape.tokens is None or shape.tokens >= 1, f"it reads {shape.tokens} tokens")
    problems.unless(bool(shape.pooling), "it does not say how the frames of a clip become one vector")


def _check_vectors(
    what: str,
    embed: Callable[[Any], Any],
    given: Sequence[Any],
    embedder: Embedder,
    problems: Problems,
    tolerance: float,
) -> None:
    """Vectors of several, of each alone, of all again, and of none."""
    with problems.running(what):
        found = np.asarray(embed(list(given)))
        wanted = (len(given), embedder.shape.dimension)
        if found.shape != wanted or found.dtype != np.float32:
            problems.add(f"{what}: vectors are {found.dtype} of shape {found.shape}, not float32 of {wanted}")
            return
        if not np.isfinite(found).all() or not np.linalg.norm(found, axis=1).all():
            problems.add(f"{what}: a vector has no direction (NaN, infinite or all 0)")
            return
        again = np.asarray(embed(list(given)))
        problems.unless(np.array_equal(found, again), f"{what}: the same gives another vector the next time")
        alone = np.concatenate([np.asarray(embed([one])) for one in given])
        if (off := _off(found, alone)) > tolerance:
            problems.add(f"{what}: a batch is {off:.2g} from the same one by one, more than {tolerance:g}")
        none = np.asarray(embed([]))
        wanted = (0, embedder.shape.dimension)
        problems.unless(none.shape == wanted, f"{what}: nothing gives shape {none.shape}, not {wanted}")


def _off(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(np.abs(unit(a) - unit(b)).max())


def _check_tokens(embedder: Embedder, limit: int, problems: Problems, tolerance: float) -> None:
    """Counts, and that the end of a long text does not matter."""
    short, longer = embedder.tokens(["a dog", "a dog and a cat and a bird and a horse"])
    problems.unless(
        0 < short < longer, f"tokens: {short} of a short text and {longer} of a longer one that begins so"
    )
    filler = " ".join(WORDS[i % len(WORDS)] for i in range(limit + 8))
    endings = [f"{filler} and then a red balloon rises", f"{filler} while nobody is at home tonight"]
    counts = embedder.tokens(endings)
    for count in counts:
        problems.unless(
            count > limit, f"tokens: {count} of {limit + 8} words, so they are cut before counted"
        )
    if min(counts) > limit:
        off = _off(*(np.asarray(embedder.texts([text])) for text in endings))
        problems.unless(off <= tolerance, f"texts: what lies beyond {limit} tokens changes the vector")


def _check_refusal(embedder: Embedder, problems: Problems) -> None:
    try:
        embedder.texts(["a dog"])
    except BackendError:
        return
    except Exception as error:  # noqa: BLE001 - it may be anybody's
        problems.add(f"it reads no texts and says so with {type(error).__name__}, not with BackendError")
    else:
        problems.add("it declares no tokens and reads texts all the same")
