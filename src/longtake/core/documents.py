"""The JSON documents that other programs rely on. Fields here may be added, never changed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, FiniteFloat

from .advice import Aggregation, Comparison, Repair, Written
from .content import Basis, CastMember, LipSync, ScreenText, SeenThing, ShotLikeness, Span, Utterance
from .interval import Interval
from .judgement import ConfidenceParts, JudgeFacts, Judgement
from .measurement import Evidence, Status
from .model import Document, Record, Seconds, Share
from .signal import ToolStatus, TraceEntry

TransitionKind = Literal["cut", "dissolve", "fade", "wipe", "join"]
DIMENSIONS = ("script", "visual", "audio", "cross_modal", "stability")
Dimension = Literal["script", "visual", "audio", "cross_modal", "stability"]


class Problem(Record):
    """Something wrong with a file that did not stop us from reading it."""

    code: str
    message: str


class PictureTrack(Record):
    """Facts of the picture. Sizes are as displayed, after rotation and pixel aspect.

    ``fps`` is the average rate the container states; ``vfr`` tells that frame times are uneven.
    ``frames`` is only what a decoder gave, so it is absent from a plain probe.
    """

    codec: str
    width: int
    height: int
    rotation: int
    fps: FiniteFloat | None
    vfr: bool | None
    pix_fmt: str | None
    bit_depth: int | None = None
    frames: int | None = None
    start: Seconds | None = None
    duration: Seconds | None = None
    color_range: str | None = None
    sample_aspect_ratio: FiniteFloat | None = None
    bit_rate: int | None = None


class SoundTrack(Record):
    """Facts of one sound track."""

    codec: str
    sample_rate: int
    channels: int
    layout: str | None = None
    start: Seconds | None = None
    duration: Seconds | None = None
    language: str | None = None
    bit_rate: int | None = None


class PartFacts(Record):
    """One clip of a film that is made of several."""

    path: str
    hash: str
    start: Seconds
    duration: Seconds | None
    width: int | None = None
    height: int | None = None
    fps: FiniteFloat | None = None
    audio: bool = False


class ProbeDocument(Document):
    """``longtake probe``: what a file says of itself, read without decoding it whole."""

    schema_: Literal["longtake.probe/1"] = Field("longtake.probe/1", alias="schema")
    path: str
    hash: str
    kind: Literal["file", "clips", "pictures"] = "file"
    container: str | None = None
    duration: Seconds | None
    start: Seconds | None = None
    video: PictureTrack | None
    audio: list[SoundTrack] = []
    other_streams: list[str] = []
    parts: list[PartFacts] = []
    problems: list[Problem] = []


class Shot(Record):
    """Frames between two boundaries; ``end`` is exclusive in time, ``last_frame`` inclusive."""

    index: int
    start: Seconds
    end: Seconds
    first_frame: int
    last_frame: int


class Transition(Record):
    """How one shot gives way to the next. For a cut ``frame`` is the first frame of the new shot."""

    kind: TransitionKind
    frame: int
    start: Seconds
    end: Seconds
    confidence: Share


class ShotsDocument(Document):
    """``longtake shots``."""

    schema_: Literal["longtake.shots/1"] = Field("longtake.shots/1", alias="schema")
    duration: Seconds
    frames: int
    frame_origin: Literal["film", "part"] = "film"
    source: Literal["detected", "joins", "given"] = "detected"
    shots: list[Shot]
    transitions: list[Transition]
    dropped: list[Transition] = []
    missing: int = Field(0, description="boundaries that --expect asked for and that were not found")


class SignalEntry(Record):
    """One signal in a document: its rows, or the path of the file that holds them."""

    version: int
    status: ToolStatus
    reason: str | None = None
    facts: dict[str, Any] = {}
    rows: list[dict[str, Any]] | None = None
    events: list[dict[str, Any]] = []
    path: str | None = None


class SignalsDocument(Document):
    """``longtake signals``."""

    schema_: Literal["longtake.signals/1"] = Field("longtake.signals/1", alias="schema")
    signals: dict[str, SignalEntry]
    trace: list[TraceEntry]


class Score(Record):
    """A mean with what it covers. ``value`` is ``None`` unless the status is ``scored``."""

    value: Share | None
    status: Status
    reason: str | None = None
    n_scored: int
    n_active: int
    covered_weight: Share
    confidence: Share | None = None
    partial: bool = False
    grade: Literal["A", "B", "C", "D", "F"] | None = None


class OtherOpinion(Record):
    """What the source without authority says of a checkpoint: evidence, never blended in."""

    method: Literal["rule", "judge"]
    value: Share | None
    confidence: Share | None
    agrees: bool


class CleanRange(Record):
    """What the same rule gives on clean real footage: lowest, median and highest of ``n`` clips."""

    low: Share
    median: Share
    high: Share
    n: int
    clips: str


class CheckpointResult(Record):
    """One of the 40 checkpoints."""

    id: str
    submetric: str
    dimension: Dimension
    question: str
    weight: Share
    status: Status
    value: Share | None
    reason: str | None
    confidence: Share | None
    authority: Literal["measured", "judged"]
    method: Literal["rule", "judge"] | None
    other: OtherOpinion | None = None
    judgement: Judgement | None = Field(None, description="all that the judge said, where it was asked")
    confidence_from: ConfidenceParts | None = None
    anchor: str | None = None
    low_confidence: bool = False
    needs: list[str] = Field([], description="what would be needed to score it")
    clean_range: CleanRange | None = None
    facts: dict[str, Any] = {}
    evidence: list[Evidence] = []


class SubmetricResult(Record):
    """A sub-metric: weighted mean of its scored checkpoints."""

    id: str
    dimension: Dimension
    value: Share | None
    status: Status
    reason: str | None = None
    confidence: Share | None
    n_scored: int
    n_active: int


class ReportMetric(Record):
    """One of the five report-level metrics outside the 40."""

    id: str
    dimension: Dimension
    status: Status
    value: Share | None
    reason: str | None
    confidence: Share | None = None
    method: Literal["rule", "judge"] | None = None
    judgement: Judgement | None = None
    confidence_from: ConfidenceParts | None = None
    evidence: list[Evidence] = []
    facts: dict[str, Any] = {}


class Attribute(Record):
    """One of the 18 content attributes; ``value`` is ``None`` when unknown."""

    id: str
    value: bool | int | None
    source: str | None = None
    reason: str | None = None


class PlannedShotEntry(Record):
    """A planned shot beside the measured ones it was aligned to."""

    index: int
    start: Seconds | None
    end: Seconds | None
    text: str
    id: str | None = None
    measured: list[int] = []
    measured_start: Seconds | None = None
    measured_end: Seconds | None = None


class Finding(Record):
    """Something worth looking at, with its place on the time line."""

    id: str
    kind: str
    severity: Literal["info", "warning", "problem"]
    start: Seconds
    end: Seconds
    what: str
    checkpoint: str | None = None
    shot: int | None = None


class BriefEntry(Record):
    """The brief as it was understood. ``hash`` is of what it says, wherever it lies."""

    source: str
    id: str | None = None
    hash: str | None = None
    video_type: str | None = None
    title: str | None
    instruction: str | None
    duration: Seconds | None
    shots: list[PlannedShotEntry]
    notes: list[dict[str, Any]]


class VideoEntry(Record):
    """The film that was diagnosed. ``path`` is relative to the output folder where that is possible."""

    path: str
    hash: str
    kind: Literal["file", "clips", "pictures"]
    duration: Seconds
    frames: int
    width: int | None
    height: int | None
    fps: FiniteFloat | None
    audio: bool
    start: Seconds | None = None
    end: Seconds | None = None
    frame_origin: Literal["film", "part"] = "film"
    decode_errors: int = 0
    problems: list[Problem] = []
    parts: list[PartFacts] = []


class ConstraintResult(Record):
    """A hard constraint of a profile."""

    id: str
    status: Literal["met", "violated", "unverified"]
    checkpoints: list[str]
    value: Share | None = None


class Coverage(Record):
    """How many checkpoints were scored, of those that apply, of all."""

    scored: int
    active: int
    registered: int


class DiagnosisDocument(Document):
    """``longtake diagnose``."""

    schema_: Literal["longtake.diagnosis/1"] = Field("longtake.diagnosis/1", alias="schema")
    video: VideoEntry
    brief: BriefEntry | None
    profile: dict[str, Any]
    dimensions: dict[Dimension, Score]
    overall: Score
    overall_without_penalty: Score
    by_profile: dict[str, Share | None] = {}
    constraints: list[ConstraintResult] = []
    coverage: Coverage
    submetrics: list[SubmetricResult]
    checkpoints: list[CheckpointResult]
    report_metrics: list[ReportMetric]
    attributes: list[Attribute]
    bottlenecks: list[str]
    findings: list[Finding]
    shots: list[Shot]
    transitions: list[Transition]
    trace: list[TraceEntry]
    rubric: dict[str, Any] = Field({}, description="id, version and hash of the rubric used")
    run: dict[str, Any] = Field({}, description="how this was made: arguments, versions, git revision")
    report: str | None = Field(None, description="path of the HTML report")
    summary: list[str] = []
    judge: JudgeFacts | None = None
    overall_interval: Interval | None = Field(None, description="over draws of the judge; not over its bias")
    written: Written | None = None
    repair: list[Repair] = []
    compat: Aggregation | None = None
    against: Comparison | None = None
    cast: list[CastMember] = []
    transcript: list[Utterance] = []
    on_screen_text: list[ScreenText] = []
    music: list[Span] = []
    scenes: list[Span] = Field([], description="stretches of shots that look like one place")
    shot_likeness: ShotLikeness | None = None
    lip_sync: list[LipSync] = []
    things: list[SeenThing] = []
    basis: dict[str, Basis] = Field({}, description="of each list of what was seen and heard, by its name")


class RepairDocument(Document):
    """``repair.json``: what to do about one film, for a workflow that makes it again.

    ``film`` and ``hash`` say which film, ``rubric`` is the hash of the rubric it was held against. Shots are
    the measured ones, counted from 0 as everywhere in documents; a directive counts them from 1, for people.
    """

    schema_: Literal["longtake.repair/1"] = Field("longtake.repair/1", alias="schema")
    film: str
    hash: str
    profile: str | None = None
    rubric: str | None = None
    shots: list[Shot] = []
    repairs: list[Repair] = []

    @classmethod
    def of(cls, document: DiagnosisDocument) -> RepairDocument:
        """The plan of a diagnosis with the shots that it speaks of."""
        named = {i for r in document.repair for i in (*r.shots, *(r.join or ()))}
        return cls(
            film=document.video.path,
            hash=document.video.hash,
            profile=document.profile.get("id"),
            rubric=document.rubric.get("hash"),
            shots=[s for s in document.shots if s.index in named],
            repairs=document.repair,
            longtake=document.longtake,
        )


class LeftOut(Record):
    """A case that a suite leaves out of all strengths of an operator, and why."""

    case: str
    operator: str
    reason: str
    hint: str | None = None


class SuiteDocument(Document):
    """``longtake perturb --suite``: the pairs that were made, and what could not be.

    ``skipped`` are films that do not allow an operator, ``failed`` those on which it broke.
    """

    schema_: Literal["longtake.suite/1"] = Field("longtake.suite/1", alias="schema")
    suite: str
    seed: int
    out: str
    pairs: str = Field(description="path of the pair manifest")
    n_pairs: int
    skipped: list[LeftOut] = []
    failed: list[LeftOut] = []
    bytes: int = Field(description="bytes that this run was expected to write")


class OperatorEntry(Record):
    """What one perturbation does; three strengths and the bounds are in ``unit``."""

    name: str
    family: str
    doc: str
    unit: str
    weak: FiniteFloat
    medium: FiniteFloat
    strong: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat
    needs: list[str]
    aspects: list[str]
    spared: list[str]


class OperatorsDocument(Document):
    """``longtake perturb --list``."""

    schema_: Literal["longtake.operators/1"] = Field("longtake.operators/1", alias="schema")
    operators: list[OperatorEntry]


class CacheDocument(Document):
    """``longtake cache``: where the cache is and what it holds, bytes and files by kind."""

    schema_: Literal["longtake.cache/1"] = Field("longtake.cache/1", alias="schema")
    path: str
    bytes: dict[str, int]
    files: dict[str, int]
    total_bytes: int
    freed_bytes: int = 0


class WeightsFacts(Record):
    """One entry of the catalog of weights; ``path`` is its folder in the cache, if it is there."""

    name: str
    what: str
    licence: str
    version: str
    sha256: str = Field(description="of the largest file")
    bytes: int
    optional: bool = Field(description="pulled by name only, not by --all")
    status: Literal["present", "missing", "damaged"]
    path: str | None = None


class ModelsDocument(Document):
    """``longtake models``: which weights are known, and which are here."""

    schema_: Literal["longtake.models/1"] = Field("longtake.models/1", alias="schema")
    models: list[WeightsFacts]


class ErrorFacts(Record):
    """What is wrong, what to do about it, and the exit code of the process."""

    message: str
    hint: str | None
    exit_code: int


class ErrorDocument(Document):
    """What ``--json`` prints in place of any other document when a command fails."""

    schema_: Literal["longtake.error/1"] = Field("longtake.error/1", alias="schema")
    error: ErrorFacts


class SchemasDocument(Document):
    """``longtake schema --json`` without a name: the documents there are."""

    schema_: Literal["longtake.schemas/1"] = Field("longtake.schemas/1", alias="schema")
    names: list[str]


class Check(Record):
    """One thing that ``longtake doctor`` looked at."""

    name: str
    status: Literal["ok", "missing", "problem"]
    detail: str
    hint: str | None = None


class DoctorDocument(Document):
    """``longtake doctor``: what is installed, what is missing, and the line that mends it."""

    schema_: Literal["longtake.doctor/1"] = Field("longtake.doctor/1", alias="schema")
    checks: list[Check]
