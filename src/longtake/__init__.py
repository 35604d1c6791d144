"""longtake: is this long video any good, where does it fail, and can the judge be trusted?

>>> import longtake
>>> diagnosis = longtake.diagnose("film.mp4", brief="brief.json")  # doctest: +SKIP
>>> diagnosis.bottlenecks  # doctest: +SKIP
['exposure_stability', ...]

Names are loaded when they are first used, so that importing this is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import diagnose as diagnose
    from .api import measure_video as measure  # noqa: F401
    from .api import open_film as open_video  # noqa: F401
    from .api import perturb as perturb
    from .api import write_report as write_report
    from .briefs.read import read_brief as read_brief
    from .cohorts import cohort as cohort
    from .core.brief import Brief as Brief
    from .core.changes import ChangeRecord as ChangeRecord
    from .core.cohort import CohortDocument as CohortDocument
    from .core.documents import DiagnosisDocument as DiagnosisDocument
    from .core.scores import ScoreDocument as ScoreDocument
    from .core.signal import Signal as Signal
    from .core.signal import Signals as Signals
    from .core.video import Video as Video
    from .errors import InputError as InputError
    from .errors import LongtakeError as LongtakeError
    from .errors import MissingError as MissingError
    from .errors import OutputError as OutputError
    from .errors import Stopped as Stopped
    from .errors import UsageError as UsageError
    from .judging import JudgeOptions as JudgeOptions
    from .scoring import score as score

_HOMES = {
    "Brief": ".core.brief:Brief",
    "CohortDocument": ".core.cohort:CohortDocument",
    "ChangeRecord": ".core.changes:ChangeRecord",
    "DiagnosisDocument": ".core.documents:DiagnosisDocument",
    "InputError": ".errors:InputError",
    "JudgeOptions": ".judging:JudgeOptions",
    "LongtakeError": ".errors:LongtakeError",
    "MissingError": ".errors:MissingError",
    "OutputError": ".errors:OutputError",
    "ScoreDocument": ".core.scores:ScoreDocument",
    "Signal": ".core.signal:Signal",
    "Signals": ".core.signal:Signals",
    "Stopped": ".errors:Stopped",
    "UsageError": ".errors:UsageError",
    "Video": ".core.video:Video",
    "cohort": ".cohorts:cohort",
    "diagnose": ".api:diagnose",
    "measure": ".api:measure_video",
    "open_video": ".api:open_film",
    "perturb": ".api:perturb",
    "read_brief": ".briefs.read:read_brief",
    "score": ".scoring:score",
    "write_report": ".api:write_report",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from .core.model import tool_version

        return tool_version()
    if name not in _HOMES:
        raise AttributeError(f"module 'longtake' has no attribute {name!r}")
    module, attribute = _HOMES[name].split(":")
    return getattr(import_module(module, __name__), attribute)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
