"""Whether the model that answered is the one that was asked for."""

from __future__ import annotations

import re

MARK = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|latest)$")
"""A version at the end of a name: a date, its short forms, or the newest."""


def same_model(asked: str, reported: str) -> bool:
    """Whether two ids can name one model.

    They can where one is the other with a date (``gpt-x-2026-03-05``), a tag (``model:latest``), or a path
    before it (``org/model``, ``/models/model.gguf``). Two dates, two tags or two paths name two models.
    """
    a_path, a_name, a_tag = _parts(asked)
    b_path, b_name, b_tag = _parts(reported)
    shorter, longer = sorted((a_path, b_path), key=len)
    if shorter and longer[-len(shorter) :] != shorter:
        return False
    if a_tag != b_tag and a_tag and b_tag:
        return False
    a, b = MARK.sub("", a_name), MARK.sub("", b_name)
    return a_name == b_name or (a == b and (a_name == a or b_name == b or "-latest" in a_name + b_name))


def _parts(name: str) -> tuple[list[str], str, str]:
    """Path, name and tag, in small letters; the tag ``latest`` is none."""
    *path, last = [part for part in re.split(r"[/\\]", name.strip().lower()) if part] or [""]
    last = last.removesuffix(".gguf")
    base, _, tag = last.partition(":")
    return path, base, "" if tag == "latest" else tag
