"""Published conformance checks: what an evaluator, an embedder, a judge, a signal or a perturbation has to
keep to, whoever wrote it. They need no test runner; inside one a failed check reads as a failed assertion.

>>> from longtake.testing import check_evaluator
>>> check_evaluator("constant").scored["whole"]
('constant',)
"""

from .embedders import check_embedder
from .evaluators import CheckedEvaluator, check_evaluator
from .judges import check_judge
from .perturbations import check_perturbation
from .problems import ConformanceError
from .signals import check_signal
from .vectors import check_vectors

__all__ = [
    "CheckedEvaluator",
    "ConformanceError",
    "check_embedder",
    "check_evaluator",
    "check_judge",
    "check_perturbation",
    "check_signal",
    "check_vectors",
]
