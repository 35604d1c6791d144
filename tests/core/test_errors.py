"""What is told of a failure is one line, whoever raised it."""

from __future__ import annotations

import pickle

import cv2
import numpy as np
import pytest

from longtake.errors import BackendError, InputError, told


def test_what_a_library_says_over_several_lines_is_one() -> None:
    none = np.zeros((0, 2), np.float32)
    with pytest.raises(cv2.error) as caught:
        cv2.estimateAffinePartial2D(none, none)
    assert "\n" in str(caught.value)
    line = told(caught.value)
    assert line.startswith("error: OpenCV")
    assert line.split() == f"error: {caught.value}".split()
    assert "\n" not in line
    error = BackendError(f"x.onnx cannot be run: {caught.value}", hint="look")
    assert error.message == told(error)
    assert "\n" not in error.message
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.hint) == (BackendError, error.message, "look")


def test_errors_of_ours_are_told_as_they_are() -> None:
    assert told(InputError("it is none")) == "it is none"
    assert told(KeyError("k")) == "KeyError: 'k'"
