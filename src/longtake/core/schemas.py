"""Documents by the name that ``longtake schema`` knows them by."""

from __future__ import annotations

from collections.abc import Mapping

from .bank import Bank, BankedDocument
from .brief import Brief
from .briefs import BriefsDocument
from .changes import ChangeRecord
from .cohort import CohortDocument
from .documents import (
    CacheDocument,
    DiagnosisDocument,
    DoctorDocument,
    ErrorDocument,
    ModelsDocument,
    OperatorsDocument,
    ProbeDocument,
    RepairDocument,
    SchemasDocument,
    ShotsDocument,
    SignalsDocument,
    SuiteDocument,
)
from .imports import ImportDocument
from .meta import MetaDocument
from .model import Document
from .prompts import PromptDocument, PromptsDocument
from .scores import EvaluatorsDocument, ScoreDocument

SCHEMAS: Mapping[str, type[Document]] = {
    "probe": ProbeDocument,
    "shots": ShotsDocument,
    "signals": SignalsDocument,
    "diagnosis": DiagnosisDocument,
    "repair": RepairDocument,
    "brief": Brief,
    "briefs": BriefsDocument,
    "bank": Bank,
    "banked": BankedDocument,
    "cache": CacheDocument,
    "doctor": DoctorDocument,
    "models": ModelsDocument,
    "perturb": ChangeRecord,
    "suite": SuiteDocument,
    "operators": OperatorsDocument,
    "meta": MetaDocument,
    "cohort": CohortDocument,
    "score": ScoreDocument,
    "import": ImportDocument,
    "evaluators": EvaluatorsDocument,
    "prompt": PromptDocument,
    "prompts": PromptsDocument,
    "error": ErrorDocument,
    "schemas": SchemasDocument,
}
