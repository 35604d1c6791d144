"""The evaluators of this folder, named as the registry says."""

from __future__ import annotations

from ..cards import own_card
from .ms_debias import MsDebias
from .tracker_fg import TrackerFg

tracker_fg = TrackerFg(own_card("tracker_fg", __file__))
ms_debias = MsDebias(own_card("ms_debias", __file__))
