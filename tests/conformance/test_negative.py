"""The checks find what they are for: evaluators that break one promise each, and the stub package."""
