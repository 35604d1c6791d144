"""Whole suites: every film of a manifest through every operator of a suite, resumable, into pairs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as once
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ..briefs.case import brief_of
from ..core.brief import Brief
from ..core.case import Case, Pair
from ..core.changes import ChangeRecord, Span
from ..core.documents import LeftOut, SuiteDocument
from ..core.progress import Progress
from ..core.seeds import seed_for
from ..core.video import Video, display_path
from ..errors import InputError, LongtakeError, MissingError, OutputError, Stopped, UsageError
from ..media.open import open_video
from ..media.unfinished import forget_unfinished
from ..meta.perturbations import Perturbation, draw, get, perturb, strength_of
from ..storage.cache import Cache, check_writable, replacing
from ..storage.manifest import write_pairs
from .doses import hit_by, refuse_same
from .given import Given, digest_of, film_facts
from .sheets import write_sheet
from .targets import Target, folder_name, size

REENCODED = "reencoded"
SLACK = 1.1
"""Foretold sizes are this much above the source's: spans are encoded at a quality that costs more bits."""


@dataclass(frozen=True)
class Suite:
    """Operators with their strengths."""

    name: str
    doc: str
    operators: Mapping[str, tuple[float | str, ...]]


@once
def suites() -> dict[str, Suite]:
    """All suites by name."""
    text = (files(__package__) / "suites.yaml").read_text(encoding="utf-8")
    return {
        name: Suite(
            name,
            entry["doc"],
            {o: tuple(strengths or entry["strengths"]) for o, strengths in entry["operators"].items()},
        )
        for name, entry in yaml.safe_load(text).items()
    }


def suite_named(name: str) -> Suite:
    """The suite of this name, or :class:`UsageError`."""
    if name not in suites():
        raise UsageError(f"there is no suite called {name!r}", hint=f"one of: {', '.join(suites())}")
    return suites()[name]


@dataclass(frozen=True)
class _Work:
    """One film and one operator: made at all its strengths or at none, as the design is paired."""

    case: Case
    film: Video
    operator: Perturbation
    targets: tuple[Target, ...]
    records: Mapping[Target, ChangeRecord]

    @property
    def missing(self) -> list[Target]:
        """What an earlier run did not make."""
        return [t for t in self.targets if t not in self.records]


class SuiteRun:
    """One suite over the films of a manifest, into one folder. ``seed`` draws the places in all of them.

    ``strengths`` takes the place of the suite's own. What an earlier run has made is not made again. With
    ``sheets`` frames of each pair before and after go into the folder of that name.

    Raises:
        InputError: no film of the manifest can be read; one that cannot is listed as failed.
        UsageError: a strength that an operator does not take.
    """

    def __init__(
        self,
        suite: Suite,
        cases: Sequence[Case],
        out: Path,
        seed: int,
        given: Given,
        *,
        strengths: Sequence[str] = (),
        sheets: bool = False,
        cache: Cache | None = None,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._suite, self._out, self._seed, self._given = suite, out, seed, given
        self._sheets = sheets
        self._cache, self._workers, self._progress = cache or Cache(), workers, progress
        self._films: dict[str, Video] = {}
        self._briefs: dict[str, Brief | None] = {}
        self._unread: list[LeftOut] = []
        for case in cases:
            try:
                self._films[case.id], self._briefs[case.id] = open_video(case.video), brief_of(case)
            except InputError as error:
                self._films.pop(case.id, None)
                self._unread.append(
                    LeftOut(case=case.id, operator="all", reason=error.message, hint=error.hint)
                )
                if len(self._unread) == len(cases):
                    raise
        self._work = [
            self._work_of(case, get(name), tuple(strengths) or of)
            for case in cases
            if case.id in self._films
            for name, of in suite.operators.items()
        ]
        self.bytes = round(sum(2 * len(w.missing) * size(w.film) for w in self._work) * SLACK)
        """Bytes that this run takes, about."""
        self.free = shutil.disk_usage(_standing(out)).free
        """Bytes that are free where they go."""

    @property
    def pairs(self) -> Path:
        """The pair manifest that this run writes."""
        return self._out / f"{self._suite.name}.csv"

    @property
    def copies(self) -> int:
        """Films that this run writes: damaged copies and their controls."""
        return sum(2 * len(w.missing) for w in self._work)

    def _work_of(self, case: Case, operator: Perturbation, strengths: Sequence[float | str]) -> _Work:
        film = self._films[case.id]
        folder = self._out / folder_name(case.id)
        numbers = dict.fromkeys(strength_of(operator, s)[0] for s in strengths)  # of some, levels are one
        targets = tuple(Target(folder, operator.name, number) for number in numbers)
        given = digest_of(self._given_to(case), operator.needs)
        made = {t: record for t in targets if (record := t.made(film.hash, self._seed, given)) is not None}
        return _Work(case, film, operator, targets, made)

    def _given_to(self, case: Case) -> Given:
        """What the operators of a case are given: its own brief, and what the manifest lends."""
        return replace(self._given, brief=self._briefs[case.id], **self._lent(self._films[case.id]))

    def run(self) -> SuiteDocument:
        """Make what is not there yet; what a film does not allow, or what fails, is listed with the reason.

        Raises:
            OutputError: the folder cannot be written, or the disk is too small.
        """
        if self.bytes > self.free:
            raise OutputError(
                f"this takes about {self.bytes / 1e9:.1f} GB, and {self._out} has "
                f"{self.free / 1e9:.1f} GB free",
                hint="take another folder (--out), fewer films or fewer strengths",
            )
        check_writable(self._out, "the folder of the suite")
        pairs: list[Pair] = []
        skipped: list[LeftOut] = []
        failed = list(self._unread)
        if self._progress and self.copies:
            self._progress.begin(f"{self.copies // 2} pairs", self.copies // 2)
        done = 0
        for work in self._work:
            try:
                records = {**work.records, **self._make(work, done)}
                refuse_same(work.operator, {t.strength: hit_by(records[t]) for t in work.targets})
                self._draw_sheets(work, records)
            except (InputError, MissingError) as error:
                skipped.append(_left_out(work, error))
            except (OutputError, Stopped):
                raise
            except LongtakeError as error:
                failed.append(_left_out(work, error))
            else:
                pairs += [self._pair(work, t, records[t]) for t in work.targets]
            done += len(work.missing)
            self._tell(done)
        write_pairs(self.pairs, pairs)
        document = self.document(len(pairs), skipped, failed)
        with replacing(self.pairs.with_suffix(".json"), "the suite's document") as file:
            file.write(json.dumps(document.to_json(), ensure_ascii=False, indent=1).encode())
        return document

    def document(
        self, n_pairs: int = 0, skipped: Sequence[LeftOut] = (), failed: Sequence[LeftOut] = ()
    ) -> SuiteDocument:
        """What a run made; before it, what it would write."""
        return SuiteDocument(
            suite=self._suite.name,
            seed=self._seed,
            out=display_path(self._out),
            pairs=display_path(self.pairs),
            n_pairs=n_pairs,
            skipped=list(skipped),
            failed=list(failed),
            bytes=self.bytes,
        )

    def _make(self, work: _Work, done: int) -> dict[Target, ChangeRecord]:
        """What is missing of one film and operator; ``done`` pairs were made or left out before."""
        if not work.missing:
            return {}
        given = self._given_to(work.case)
        facts = film_facts(work.film, work.operator, given, self._cache, workers=self._workers)
        hits = {  # a strength that the film does not allow leaves out all of them
            t.strength: hit_by(draw(work.film, t.operator, t.strength, self._seed, film=facts))
            for t in work.targets
        }
        refuse_same(work.operator, hits)
        made = {}
        for number, target in enumerate(work.missing):
            forget_unfinished(target.folder)
            record = perturb(
                work.film,
                target.operator,
                target.strength,
                self._seed,
                target.path(".mp4"),
                control=target.path(".control.mp4"),
                film=facts,
            )
            made[target] = record.model_copy(update={"given": digest_of(given, work.operator.needs)})
            with replacing(target.path(".json"), "the change record") as file:
                file.write(json.dumps(made[target].to_json(), ensure_ascii=False, indent=1).encode())
            self._tell(done + number + 1)
        return made

    def _draw_sheets(self, work: _Work, records: Mapping[Target, ChangeRecord]) -> None:
        """A sheet for each pair, where there is none that is younger than the pair."""
        if not self._sheets:
            return
        for target in work.targets:
            name = f"{folder_name(work.case.id)}-{target.operator}-{target.strength:g}.jpg"
            path = self._out / "sheets" / name
            if path.exists() and path.stat().st_mtime_ns >= target.path(".json").stat().st_mtime_ns:
                continue
            here = records[target].model_copy(update={"output": str(target.path(".mp4"))})
            write_sheet(work.film, here, path)

    def _tell(self, pairs: int) -> None:
        if self._progress and self.copies:
            self._progress.at(pairs)

    def _lent(self, film: Video) -> dict[str, Any]:
        """A pool, another film and another brief from the manifest itself, where the user gave none."""
        others = [(i, f) for i, f in self._films.items() if f.hash != film.hash]
        lent: dict[str, Any] = {}
        if not self._given.pool:
            lent["pool"] = tuple(f for _, f in others)
        if self._given.other is None and others:
            draws = np.random.default_rng(seed_for(film.hash, "other", self._seed))
            other, borrowed = others[int(draws.integers(len(others)))]
            lent |= {"other": borrowed, "other_brief": self._given.other_brief or self._briefs[other]}
        return lent

    def _pair(self, work: _Work, target: Target, record: ChangeRecord) -> Pair:
        # A control of what is only encoded again would be the same film: that is held against its source.
        control = work.film.path if target.operator == REENCODED else target.path(".control.mp4")
        return Pair(
            id=f"{work.case.id}/{target.operator}/{target.strength:g}",
            source=work.case.id,
            aspect=target.operator,
            a=control,
            b=target.path(".mp4"),
            brief=self._brief_file(work.case),
            brief_b=Path(record.brief) if record.brief else None,
            strength=target.strength,
            changed=tuple(changed_on_output(record)),
            share_changed=record.share_changed,
            duration=record.duration_in,
            suffer=_suffer(record),
            spared=tuple(record.spared),
            extra=_told_beside(record),
        )

    def _brief_file(self, case: Case) -> Path | None:
        """The case's brief as a file; a prompt becomes one."""
        if case.prompt is None:
            return case.brief
        path = self._out / folder_name(case.id) / "prompt.txt"
        with replacing(path, "the prompt") as file:
            file.write(case.prompt.encode())
        return path


def _suffer(record: ChangeRecord) -> tuple[str, ...]:
    """What ought to suffer in the spans that were changed; another brief changes none, so all of it."""
    named = [aspect for change in record.changed for aspect in change.aspects]
    return tuple(dict.fromkeys(named if record.changed else get(record.operator).aspects))


def _told_beside(record: ChangeRecord) -> dict[str, str]:
    """Columns of the pair manifest that say what else its reader has to know: clips changed, proxies."""
    told = {"proxies": ", ".join(record.proxies)}
    if "n_clips" in record.facts:
        told["n_clips"] = str(record.facts["n_clips"])
    return {name: text for name, text in told.items() if text}


def changed_on_output(record: ChangeRecord) -> list[Span]:
    """The changed spans on the output's clock; what was removed is an empty span where it is missing."""
    spans, gone = [], 0.0
    for change in record.changed:
        if change.output is not None:
            spans.append(change.output)
        elif change.source is not None:
            at = change.source.start - gone
            spans.append(Span(start=at, end=at))
            gone += change.source.end - change.source.start
    return spans


def _left_out(work: _Work, error: LongtakeError) -> LeftOut:
    return LeftOut(case=work.case.id, operator=work.operator.name, reason=error.message, hint=error.hint)


def _standing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return folder if folder.exists() else _standing(folder.resolve().parent)
