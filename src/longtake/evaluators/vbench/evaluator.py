"""The seven dimensions of VBench that need no prompt, natively and by shots."""

from __future__ import annotations

from ..cards import own_card
from .consistency import Consistency
from .motion import DynamicDegree, MotionSmoothness, TemporalFlickering
from .quality import PictureDimension

subject_consistency = Consistency(own_card("vb.subject_consistency", __file__), "subject")
background_consistency = Consistency(own_card("vb.background_consistency", __file__), "scene")
motion_smoothness = MotionSmoothness(own_card("vb.motion_smoothness", __file__))
dynamic_degree = DynamicDegree(own_card("vb.dynamic_degree", __file__))
aesthetic_quality = PictureDimension(own_card("vb.aesthetic_quality", __file__), "aesthetic")
imaging_quality = PictureDimension(own_card("vb.imaging_quality", __file__), "imaging")
temporal_flickering = TemporalFlickering(own_card("vb.temporal_flickering", __file__))
