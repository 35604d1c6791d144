"""What DSA's formula can notice with an embedder as good as one wishes: no film, vectors by construction.

    python benchmarks/dsa_forms.py [--stories 2000]

A story of K shots has a common direction; each text is that and a direction of its own, each shot of the film
its text and noise. The film's vector is the mean of the 8 frames that are read of it, which are of the shots
at those times; that of a shot is its own. Then the shots change places, are replaced by another story's, or
the film is held against another story's texts. Texts and the embedder stay the same, so whatever falls or
stays is the formula's doing. Printed is the mean of each form on its scale of 0 to 1, and in what share of
stories it falls below that of the undamaged film (ties count half).
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from longtake.core.seeds import seed_for
from longtake.evaluators.dsa.alignment import rho, share

DIMENSION = 768
FRAMES = 8
COMMON, NOISE = 1.0, 1.0
"""Length of what texts of a story have in common, and of a shot's noise, beside an own direction of 1."""
Floats = NDArray[np.float64]
FORMS = ("dsa", "pooled", "shot")


def unit(vectors: Floats) -> Floats:
    """At length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def story(rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """Texts and shots of one story, shape (count, DIMENSION) each."""
    common = unit(rng.normal(size=DIMENSION)) * COMMON
    weight = rng.uniform(0.5, 1.5, size=(count, 1))
    texts = unit(common + weight * unit(rng.normal(size=(count, DIMENSION))))
    return texts, unit(texts + NOISE * unit(rng.normal(size=(count, DIMENSION))))


def forms(texts: Floats, shots: Floats) -> list[float]:
    """The forms of DSA in the order of ``FORMS``."""
    count = len(texts)
    whole = texts @ unit(texts.mean(axis=0))
    read = shots[((np.arange(FRAMES) + 0.5) * count / FRAMES).astype(int)]
    profiles = (
        texts @ unit(read.mean(axis=0)),
        texts @ unit(shots.mean(axis=0)),
        np.einsum("kd,kd->k", texts, shots),
    )
    found = [rho(whole, profile) for profile in profiles]
    return [float("nan") if value is None else share(value) for value in found]


def moved(rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """An order in which no shot is in its place."""
    while True:
        order = rng.permutation(count)
        if not (order == np.arange(count)).any():
            return order


def main() -> None:
    """Draw stories, damage them, print."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--stories", type=int, default=2000)
    chosen = options.parse_args()
    for count in (12, 24):
        values: dict[str, list[list[float]]] = {}
        for number in range(chosen.stories):
            rng = np.random.default_rng(seed_for(str(number), "dsa", count))
            texts, shots = story(rng, count)
            _, other_shots = story(rng, count)
            half = rng.permutation(count)[: count // 2]
            mixed = shots.copy()
            mixed[half] = other_shots[half]
            for name, film, plan in (
                ("as planned", shots, texts),
                ("shots in another order", shots[moved(rng, count)], texts),
                ("half of the shots from another story", mixed, texts),
                ("another story's film", other_shots, texts),
                ("one shot held for all", np.repeat(shots[:1], count, axis=0), texts),
            ):
                values.setdefault(name, []).append(forms(plan, film))
        clean = np.array(values["as planned"])
        print(f"{count} shots, {chosen.stories} stories; mean (share that falls)")
        for name, rows in values.items():
            found = np.array(rows)
            falls = np.where(np.isclose(found, clean), 0.5, found < clean).mean(axis=0)
            told = [
                f"{f} {m:.3f} ({s:.0%})" for f, m, s in zip(FORMS, found.mean(axis=0), falls, strict=True)
            ]
            print(f"  {name:40} {'   '.join(told)}")


if __name__ == "__main__":
    main()
