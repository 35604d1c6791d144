"""Writes an ONNX model step by step; used once per model, when weights are converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError, MissingError
from .onnx import session

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

OPSET, IR = 17, 8
"""Versions of the operators and of the file, which every onnxruntime since 1.13 reads."""
TOLERANCE = 1e-3
"""Largest difference of a converted model's output from its known one, in the output's own unit; the
converters' own differences from the networks in PyTorch were below 2e-5."""


class Graph:
    """A model in the making: values are named, and every step returns the name of its result.

    Raises:
        MissingError: what writes and checks models is not installed.
    """

    def __init__(self) -> None:
        if absent := [name for name in ("onnx", "onnxruntime") if find_spec(name) is None]:
            hint = "install it: pip install 'longtake[offline]'"
            raise MissingError(f"{', '.join(absent)} is not installed", hint=hint)
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def constant(self, value: NDArray[Any] | np.generic) -> str:
        """A constant."""
        from onnx import numpy_helper

        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def cast(self, value: str) -> str:
        """The value as float32."""
        import onnx

        return self.add("Cast", value, to=onnx.TensorProto.FLOAT)

    def add(
        self,
        operator: str,
        *inputs: str | NDArray[Any] | np.generic,
        result: str | None = None,
        **attributes: Any,
    ) -> str:
        """A step: arrays among its inputs become constants. The result is named ``result`` if given."""
        from onnx import helper

        names = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        name = result or f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, names, [name], **attributes))
        return name

    def save(
        self,
        path: Path,
        inputs: Mapping[str, tuple[Any, Sequence[int | str]]],
        outputs: Mapping[str, Sequence[int | str]],
    ) -> None:
        """Check the model and write it.

        Args:
            path: where to.
            inputs: type and shape of each input; a named length may be any.
            outputs: shape of each output; all are float32.
        """
        import onnx
        from onnx import helper

        kind = helper.np_dtype_to_tensor_dtype
        graph = helper.make_graph(
            self._nodes,
            "longtake",
            [helper.make_tensor_value_info(n, kind(np.dtype(t)), shape) for n, (t, shape) in inputs.items()],
            [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, shape) for n, shape in outputs.items()],
            self._constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
        onnx.checker.check_model(model, full_check=True)
        path.write_bytes(model.SerializeToString())


def folded(
    weight: NDArray[Any],
    table: Mapping[str, NDArray[Any]],
    norm: str,
    epsilon: float,
    part: slice | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """A convolution's weight and bias with the normalisation that follows it worked in.

    Args:
        weight: shape (out, ...).
        table: all tensors of the network by name.
        norm: name of the normalisation in it.
        epsilon: the normalisation's own.
        part: which of the normalisation's channels are this convolution's; all by default.
    """
    scale, shift, mean, variance = (
        table[f"{norm}.{key}"][part or slice(None)]
        for key in ("weight", "bias", "running_mean", "running_var")
    )
    factor = scale / np.sqrt(variance + epsilon)
    return weight * factor.reshape(-1, *[1] * (weight.ndim - 1)), shift - mean * factor


def check(path: Path, inputs: Mapping[str, NDArray[Any]], known: Mapping[str, NDArray[Any]]) -> None:
    """Compare what a converted model gives with what is known, each output flat from its beginning.

    Raises:
        BackendError: it gives something else.
    """
    model = session(path)
    for name, wanted in known.items():
        (given,) = model.run([name], dict(inputs))
        worst = float(np.abs(given.ravel()[: wanted.size] - wanted).max())
        if not worst <= TOLERANCE:
            raise BackendError(
                f"the converted model is wrong: {name} differs from its known values by {worst:.2g}",
                hint="fetch the weights again: longtake models pull; if it stays, please report it",
            )
