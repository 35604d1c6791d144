"""Types and ports. Nothing here imports more than the standard library and pydantic."""
