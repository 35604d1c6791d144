"""One way to open an ONNX model: bounded threads, quiet, CPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BackendError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def session(
    path: Path, threads: int = 1, *, own: bool = False, changed: bytes | None = None, lean: bool = False
) -> InferenceSession:
    """An inference session on the CPU with at most ``threads`` threads.

    ``own`` says that the file is the user's, which no catalog can fetch again.
    ``changed`` is what to run where the file must be altered first; ``path`` is then only named in errors.

    Raises:
        BackendError: the file is no ONNX model that can be run.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = not lean
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(changed or str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises types of its own, which it does not export
        hint = "give an ONNX model as it was exported" if own else "fetch it again: longtake models pull"
        raise BackendError(f"{path.name} cannot be run: {error}", hint=hint) from error
