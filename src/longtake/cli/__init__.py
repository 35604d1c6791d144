"""The command line. The only place that wires everything together; heavy modules load inside commands."""

from .app import main

__all__ = ["main"]
