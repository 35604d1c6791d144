"""DirectorBench metadata in its two shapes (arXiv 2605.30090): nested by modality, and flat."""

from __future__ import annotations

from typing import Any

from ..core.brief import Brief, SoundWishes
from .build import Draft, build
from .fields import Fields, as_text
from .generic import acts_of
from .reading import SAME_ID, Reading
from .shots import shot_from

_NO = {"no", "none", "false", "n/a", "not required", "not needed", "off", "without", "0"}
_YES = {"yes", "true", "required", "on", "needed", "1"}


def read_nested(fields: Fields) -> Brief:
    """``modality_details`` with text, visual and audio; script and shots are joined by ``shot_id``."""
    reading = fields.reading
    known: dict[str, Any] = {
        "id": fields.text("meta_id") or fields.text("sample_id"),
        "duration": fields.seconds("duration_sec", "duration", "duration_seconds"),
        "video_type": fields.text("video_type"),
        "instruction": fields.text("main_instruction", "instruction", "prompt"),
        "language": fields.text("language"),
        "title": fields.text("title"),
    }
    extra: dict[str, Any] = {}
    for name in ("sample_id", "variant_type"):  # known, but nothing of a Brief corresponds to them
        if value := fields.text(name):
            extra[name] = value
    drafts: list[Draft] = []
    if details := fields.object("modality_details"):
        script: list[Draft] = []
        visual: list[Draft] = []
        if text := details.object("text"):
            if arc := text.take("story_arc"):
                known["acts"] = acts_of(*arc, reading)
            script = _shots(text, "script")
            known["tone"] = text.text("tone_requirements", "tone")
            extra.update(text.rest(prefix="modality_details.text."))
        if picture := details.object("visual"):
            visual = _shots(picture, "shots")
            known["camera"] = picture.strings("camera_requirements")
            known["consistency"] = picture.strings("consistency_requirements")
            extra.update(picture.rest(prefix="modality_details.visual."))
        if audio := details.object("audio"):
            known["sound"] = sound_wishes(audio)
        extra.update(details.rest(prefix="modality_details."))
        drafts = joined(script, visual, reading)
    if tone := known.pop("tone", None):
        sound = known.get("sound") or SoundWishes()
        known["sound"] = sound if sound.tone else sound.model_copy(update={"tone": tone})
        extra["tone_requirements"] = tone
    extra.update(fields.rest())
    return build(reading, "directorbench", drafts, extra=extra, **known)


def _shots(fields: Fields, name: str) -> list[Draft]:
    drafts = [shot_from(value, path, fields.reading) for value, path in fields.items(name) or []]
    seen: dict[str, str] = {}
    for draft in drafts:
        if draft.id is not None and draft.id in seen:
            message = f"has the id {draft.id!r} of {seen[draft.id]}"
            raise fields.reading.error(draft.path, message, hint=SAME_ID)
        if draft.id is not None:
            seen[draft.id] = draft.path
    return drafts


def joined(script: list[Draft], visual: list[Draft], reading: Reading) -> list[Draft]:
    """Script lines and pictures of the same shot as one draft, in the pictures' order.

    A shot in one list only stays, with a warning, behind the shot it followed.
    """
    if not script or not visual:
        return visual or script
    if all(d.id is None for d in (*script, *visual)) and len(script) == len(visual):
        reading.note("", "no shot has an id; script and pictures were joined in order", "warning")
        return [_merged(lines, picture, reading) for lines, picture in zip(script, visual, strict=True)]
    lines_of = {d.id: d for d in script if d.id is not None}
    pictures = {d.id for d in visual if d.id is not None}
    result = [_with_lines(picture, lines_of, reading) for picture in visual]
    after: str | None = None
    for lines in script:
        if lines.id is not None and lines.id in pictures:
            after = lines.id
            continue
        reading.note(lines.path, f"shot {lines.id or '(no id)'} is in the script only", "warning")
        places = [i for i, d in enumerate(result) if d.id is not None and d.id == after]
        result.insert(places[0] + 1 if places else 0 if after is None else len(result), lines)
        after = lines.id if lines.id is not None else after
    common = [d.id for d in script if d.id in pictures]
    if common != [d.id for d in visual if d.id in lines_of and d.id is not None]:
        reading.note(
            "", "script and pictures have their shots in different orders; the pictures' was taken", "warning"
        )
    return result


def _with_lines(picture: Draft, lines_of: dict[str, Draft], reading: Reading) -> Draft:
    lines = lines_of.get(picture.id) if picture.id is not None else None
    if lines is None:
        reading.note(picture.path, f"shot {picture.id or '(no id)'} has pictures but no script", "warning")
        return picture
    return _merged(lines, picture, reading)


def _merged(lines: Draft, picture: Draft, reading: Reading) -> Draft:
    for name, value in vars(lines).items():
        if name in ("path", "extra") or value in (None, "", []):
            continue
        mine = getattr(picture, name)
        if mine in (None, "", []):
            setattr(picture, name, value)
        elif mine != value:
            if name in ("start", "end", "duration"):
                raise reading.error(lines.path, f"{name} is {value:g} s, but {mine:g} s in {picture.path}")
            picture.extra[f"script.{name}"] = value
            reading.note(lines.path, f"{name} differs from that in {picture.path}; kept in extra", "warning")
    picture.extra.update({f"script.{key}": value for key, value in lines.extra.items()})
    return picture


def sound_wishes(fields: Fields) -> SoundWishes:
    """The audio block: wishes as true, false or text; everything else in ``extra``."""
    extra: dict[str, Any] = {}

    def wish(name: str) -> bool | None:
        found = fields.take(name)
        if found is None:
            return None
        value, path = found
        if isinstance(value, bool):
            return value
        text = as_text(value, path, fields.reading)
        word = text.lower().strip(" .")
        if word in _NO:
            return False
        if word not in _YES and text:
            extra[name] = text
        return True if text else None

    dialogue, narration, lip_sync = wish("dialogue"), wish("narration"), wish("lip_sync")
    found = fields.take("multi_language", "languages")
    languages: list[str] = []
    if found is not None:
        value, path = found
        if isinstance(value, bool):
            extra["multi_language"] = value
        else:
            items = value if isinstance(value, list) else [value]
            languages = [as_text(item, f"{path}[{i}]", fields.reading) for i, item in enumerate(items)]
    music = fields.take("bgm_style", "music", "bgm")
    music_text: str | None = None
    if music is not None:
        if isinstance(music[0], bool):
            extra["music"] = music[0]
        else:
            music_text = as_text(*music, fields.reading) or None
    effects = fields.strings("sound_effects", "sfx")
    tone = fields.text("tone_control", "tone")
    inner = fields.take("extra")
    if inner is not None and isinstance(inner[0], dict):
        extra.update(inner[0])
    extra.update(fields.rest())
    return SoundWishes(
        dialogue=dialogue,
        narration=narration,
        lip_sync=lip_sync,
        music=music_text,
        sound_effects=effects,
        tone=tone,
        languages=[language for language in languages if language],
        extra=extra,
    )


def read_flat(fields: Fields) -> Brief:
    """``shot_descriptions`` with times; facts about the generated file stay in ``extra``."""
    reading = fields.reading
    drafts = [shot_from(value, path, reading) for value, path in fields.items("shot_descriptions") or []]
    return build(
        reading,
        "directorbench-flat",
        drafts,
        id=fields.text("video_id", "id"),
        title=fields.text("title"),
        instruction=fields.text("prompt", "main_instruction", "instruction"),
        duration=fields.seconds("duration_seconds", "duration_sec", "duration"),
        language=fields.text("language"),
        video_type=fields.text("video_type"),
        extra=fields.rest(),
    )
