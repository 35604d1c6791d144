"""Reading briefs: what a film was meant to be, from every shape people keep it in."""

from .read import read_brief, read_brief_text, read_brief_value

__all__ = ["read_brief", "read_brief_text", "read_brief_value"]
