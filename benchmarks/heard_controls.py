"""Controls of the rules over speech, lips and music: people who say known sentences, whole and damaged.

    python benchmarks/heard_controls.py MEDIA_FOLDER [--half A|B] [--write]

Films are two or three of 2_speaking's GRID clips joined in different orders. Half A are those on which the
constants were fixed (even place in the folder's list), half B only reports; ``--write`` puts its clean ranges
and separations into ``diagnosis/rules/clean.json``. Half B holds three people who say three sentences: few,
so its figures are rough. Weights are those of the user's cache (``longtake models pull``).

- speech_timing: the sound 2 s late, with a plan of who says what when.
- speech_intelligibility: noise of .15 rms.
- lip_sync_quality: the sound .5 s late.
- bgm_volume_balance: music of .15 rms over the voice, against .03 (what is clean here).
- text_audio_consistency: lines of another film.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from statistics import median

from longtake.core.brief import Brief, Line
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.documents import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb
from longtake.storage.cache import Cache, cache_root
from rule_controls import separation

SENTENCES = {
    "bbaf2n": "bin blue at f two now",
    "lbax4n": "lay blue at x four now",
    "lrwp9a": "lay red with p nine again",
    "pwij3p": "place white in j three please",
    "sbia1a": "set blue in a one again",
    "sbwe5n": "set blue with e five now",
    "id2_swwp2s": "set white with p two soon",
}
CLIP_S = 3.0
OTHER = ("the ship sails at dawn", "nobody told me that", "who goes there")
DAMAGES: dict[str, tuple[tuple[str, float] | None, tuple[str, float] | None]] = {
    "speech_timing": (None, ("sound_shift", 2.0)),
    "speech_intelligibility": (None, ("sound_noise", 0.15)),
    "lip_sync_quality": (None, ("sound_shift", 0.5)),
    "bgm_volume_balance": (("music_bed", 0.03), ("music_bed", 0.15)),
    "text_audio_consistency": (None, None),
}
"""What is done to a clean film, and to a damaged one."""
CLIPS_IN_A_FILM = 3


def films(half: str) -> list[tuple[str, ...]]:
    """Clips of each film, in order."""
    mine = sorted(SENTENCES)[0 if half == "A" else 1 :: 2]
    orders = list(permutations(mine, CLIPS_IN_A_FILM))
    return orders[:: max(1, len(orders) // 6)][:6]


def lines(names: Sequence[str]) -> list[Line]:
    """What is said in a film, with times."""
    return [
        Line(start=CLIP_S * i + 0.5, end=CLIP_S * i + 2.5, text=text)
        for i, text in enumerate(SENTENCES.get(name, name) for name in names)
    ]


def values(names: tuple[str, ...], media: Path, root: Path) -> Iterator[tuple[str, str, float | None]]:
    """Rule, clean or damaged, and the rule's value for one film."""
    rules = {**RULES, **REPORT_RULES}
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        (cache / "models").symlink_to(root / "models", target_is_directory=True)
        whole = cache / "whole.mp4"
        join([open_video(media / "2_speaking" / f"grid_{name}.mpg") for name in names], whole)
        for rule, both in DAMAGES.items():
            for kind, damage in zip(("clean", "damaged"), both, strict=True):
                path = whole
                if damage is not None:
                    path = cache / f"{damage[0]}-{damage[1]}.mp4"
                    if not path.exists():
                        perturb(open_video(whole), *damage, 1, path)
                video = open_video(path)
                measured = measure(video, rules[rule].needs, cache=Cache(cache))
                asked = OTHER if kind == "damaged" and rule == "text_audio_consistency" else names
                entry = video_entry(video, measured, None)
                facts = gather(entry, measured.signals, Brief(lines=lines(asked)))
                yield rule, kind, rules[rule].function(facts).value


def main() -> None:
    """Print the controls of each rule."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("media", type=Path)
    options.add_argument("--half", choices=("A", "B"), default="B")
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    found: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for names in films(chosen.half):
        for rule, kind, value in values(names, chosen.media, cache_root()):
            found[rule][kind].append(value)
    report = {}
    for rule, kinds in found.items():
        spoken = {kind: sorted(v for v in got if v is not None) for kind, got in kinds.items()}
        for kind, got in spoken.items():
            told = f"low {got[0]:.2f} median {median(got):.2f} high {got[-1]:.2f}" if got else ""
            print(f"{rule} {kind}: spoke of {len(got)} of {len(kinds[kind])}, {told}")
        chance = round(separation(spoken["clean"], spoken["damaged"]), 3)
        print(f"    separation {chance}")
        if clean := spoken["clean"]:
            where = f"films of three GRID clips, half {chosen.half}"
            spread = {"low": clean[0], "median": median(clean), "high": clean[-1], "n": len(clean)}
            report[rule] = {"clean": {**spread, "clips": where}, "separation": chance}
    if chosen.write:
        target = Path(__file__).parents[1] / "src" / "longtake" / "diagnosis" / "rules" / "clean.json"
        kept = json.loads(target.read_text(encoding="utf-8"))
        kept["rules"] |= report
        target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
