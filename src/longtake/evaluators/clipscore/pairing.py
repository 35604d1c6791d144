"""Which caption each clip of a film goes with."""

from __future__ import annotations


def captions_for(clips: int, captions: int) -> list[int]:
    """For each clip, in order, the number of its caption: the same place where there are as many of both,
    else the one at the same relative position, which the middle of the clip's share of the film falls into.

    With fewer clips than captions some captions go with none. Raises ``ValueError`` without captions.
    """
    if captions < 1:
        raise ValueError("there are no captions")
    return [(2 * k + 1) * captions // (2 * clips) for k in range(clips)]
