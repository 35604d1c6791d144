"""Looks over an installation and says what to do about what it finds."""

from __future__ import annotations

import platform
from importlib.metadata import distributions, version

from ..core.documents import Check, DoctorDocument
from ..core.model import tool_version
from ..errors import OutputError
from ..storage.cache import cache_root, check_writable

OPENCV_NAMES = {
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
}
DECODERS = ("h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mpeg1video", "aac", "mp3", "opus")


def examine() -> DoctorDocument:
    """All checks, in the order a person would want them."""
    return DoctorDocument(checks=[_versions(), _opencv(), _decoders(), _filters(), _cache(), _models()])


def _versions() -> Check:
    detail = f"longtake {tool_version()}, Python {platform.python_version()}, PyAV {version('av')}"
    return Check(name="versions", status="ok", detail=detail)


def _opencv() -> Check:
    found = sorted({f"{d.name} {d.version}" for d in distributions() if d.name in OPENCV_NAMES})
    if len(found) == 1 and found[0].split()[1].startswith("4."):
        return Check(name="OpenCV", status="ok", detail=found[0])
    return Check(
        name="OpenCV",
        status="problem",
        detail=f"exactly one OpenCV 4 is wanted, found {', '.join(found) or 'none'}",
        hint="uninstall all of them, then: pip install 'opencv-python-headless>=4.10,<5'",
    )


def _decoders() -> Check:
    import av

    missing = [name for name in DECODERS if name not in av.codecs_available]
    if missing:
        return Check(name="decoders", status="problem", detail=f"FFmpeg lacks {', '.join(missing)}")
    return Check(name="decoders", status="ok", detail=f"{len(DECODERS)} common ones are there")


def _filters() -> Check:
    from av.filter import filters_available

    if "ebur128" in filters_available:
        return Check(name="loudness", status="ok", detail="FFmpeg's ebur128 is there")
    return Check(name="loudness", status="problem", detail="FFmpeg lacks ebur128; loudness stays unmeasured")


def _cache() -> Check:
    root = cache_root()
    try:
        check_writable(root, "the cache")
    except OutputError as error:
        return Check(name="cache", status="problem", detail=error.message, hint=error.hint)
    return Check(name="cache", status="ok", detail=f"{root} can be written")


def _models() -> Check:
    """Whether the weights that ``models pull --all`` fetches are here, and the packages that run them."""
    from ..models.catalog import entries, lacking

    wanted = [name for name, entry in entries().items() if not entry.optional]
    reasons = {name: why for name in wanted if (why := lacking([name], cache_root()))}
    if not reasons:
        return Check(name="models", status="ok", detail=f"all {len(wanted)} are here")
    return Check(
        name="models",
        status="missing",
        detail=f"{len(wanted) - len(reasons)} of {len(wanted)} can be used; without: {', '.join(reasons)}",
        hint="pip install 'longtake[offline]', then: longtake models pull --all",
    )
