"""The evaluators ``pairwise.video`` and ``pairwise.text``: a judge chooses between two films (SLVMEval, arXiv
2603.29186). The runner asks in both orders; what the two answers come to is the study's."""

from __future__ import annotations

from ..cards import own_card
from .text import NAME as TEXT
from .text import TextPair
from .video import NAME as VIDEO
from .video import VideoPair

video = VideoPair(own_card(VIDEO, __file__))
text = TextPair(own_card(TEXT, __file__))
