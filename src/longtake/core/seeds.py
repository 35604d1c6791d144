"""Randomness keyed by item: one item is the same whatever else runs."""

from __future__ import annotations

import hashlib


def seed_for(item: str, operator: str, seed: int) -> int:
    """A 64-bit seed from (item id, operator name, user seed)."""
    digest = hashlib.sha256(f"{item}\0{operator}\0{seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big")
