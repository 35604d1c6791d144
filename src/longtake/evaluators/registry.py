"""All evaluators by name, ours and those of installed packages."""

from __future__ import annotations

from ..core.evaluator import Evaluator, PairEvaluator
from ..core.registry import Registry

GROUP = "longtake.evaluators"
"""Entry points of packages that bring evaluators: a name and ``module:attribute``."""
RULES = (
    "motion_continuity",
    "exposure_stability",
    "color_temperature",
    "color_consistency",
    "temporal_degradation",
    "resolution_sharpness",
    "visual_artifact_frequency",
    "duration_completeness",
    "pacing_structure",
    "audio_continuity",
    "bgm_transition_smoothness",
    "bgm_volume_balance",
    "lip_sync_quality",
    "char_face_consistency",
    "background_consistency",
    "scene_presence",
    "scene_order",
    "speech_timing",
    "speech_intelligibility",
    "transition_quality",
    "user_requirement_consistency",
    "text_audio_consistency",
)
"""Checkpoints and report-level metrics of the diagnosis that have a rule."""
BASELINES = (
    "cue.duration",
    "cue.bytes",
    "cue.frame_difference",
    "cue.smoothness",
    "cue.contrast",
    "cue.flicker",
    "constant",
    "random",
)
"""Blind cues and controls. They stand in every table of pairs, so that nobody takes a cue for a judgement."""
VBENCH = (
    "subject_consistency",
    "background_consistency",
    "motion_smoothness",
    "dynamic_degree",
    "aesthetic_quality",
    "imaging_quality",
    "temporal_flickering",
)
"""VBench's dimensions that need no prompt."""
BUILT_IN = {
    "diagnosis": "longtake.diagnosis.evaluators:diagnosis",
    **{f"rule.{name}": f"longtake.diagnosis.evaluators:rules.{name}" for name in RULES},
    "evidence": "longtake.evaluators.evidence.evaluator:evidence",
    "video-qa": "longtake.evaluators.video_qa.evaluator:video_qa",
    "video-bench": "longtake.evaluators.video_bench.evaluator:video_bench",
    "pairwise.video": "longtake.evaluators.pairwise.evaluator:video",
    "pairwise.text": "longtake.evaluators.pairwise.evaluator:text",
    "dsa": "longtake.evaluators.dsa.evaluator:dsa",
    "long-code": "longtake.evaluators.long_code.evaluator:long_code",
    "clipscore": "longtake.evaluators.clipscore.evaluator:clipscore",
    "video-text": "longtake.evaluators.video_text.evaluator:video_text",
    "text_rendering": "longtake.evaluators.onscreen_text.evaluator:text_rendering",
    "text_stability": "longtake.evaluators.onscreen_text.evaluator:text_stability",
    **{f"vb.{name}": f"longtake.evaluators.vbench.evaluator:{name}" for name in VBENCH},
    "tracker_fg": "longtake.evaluators.dynamic.evaluator:tracker_fg",
    "ms_debias": "longtake.evaluators.dynamic.evaluator:ms_debias",
    "videoscore": "longtake.evaluators.videoscore.evaluator:videoscore",
    "videoscore2": "longtake.evaluators.videoscore.evaluator:videoscore2",
    **{name: f"longtake.evaluators.baselines.evaluator:{name.replace('.', '_')}" for name in BASELINES},
}

EVALUATORS: Registry[Evaluator | PairEvaluator] = Registry("evaluator", GROUP, BUILT_IN)
