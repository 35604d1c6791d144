"""The base of all documents: strict JSON, named and versioned."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

Seconds = Annotated[FiniteFloat, Field(description="seconds from the start of the presentation")]
Share = Annotated[FiniteFloat, Field(ge=0, le=1, description="a share or score in [0, 1]")]


def tool_version() -> str:
    """Version of the installed longtake, or ``0+unknown`` from a bare source tree."""
    try:
        return version("longtake")
    except PackageNotFoundError:
        return "0+unknown"


class Record(BaseModel):
    """A part of a document. Unknown fields are errors; NaN and infinity are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True)


class Document(Record):
    """A whole JSON document. A subclass gives ``schema_`` a default ``longtake.<name>/<version>``."""

    schema_: str = Field(alias="schema")
    longtake: str = Field(default_factory=tool_version, description="version that wrote this")

    def to_json(self) -> dict[str, Any]:
        """The document as plain JSON values, field names as in the contract."""
        return self.model_dump(mode="json", by_alias=True)
