"""Runs a command and measures its whole process tree: CPU seconds, wall seconds, peak memory."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psutil

SAMPLE_S = 0.2


@dataclass(frozen=True)
class Cost:
    """Seconds of CPU (user and system, children included), seconds on the wall, peak MB over all processes.

    ``pss`` counts memory that processes share once, ``rss`` in each of them.
    """

    cpu: float
    wall: float
    rss: float
    pss: float


def run(command: Sequence[str], env: Mapping[str, str] | None = None, *, memory: bool = False) -> Cost:
    """Run ``command`` to its end; raises ``CalledProcessError`` if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    child = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})}
    )
    rss = pss = 0.0
    if memory:
        tree = psutil.Process(child.pid)
        while child.poll() is None:
            now_rss, now_pss = _memory(tree)
            rss, pss = max(rss, now_rss), max(pss, now_pss)
            time.sleep(SAMPLE_S)
    code = child.wait()
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code:
        raise subprocess.CalledProcessError(code, command)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, wall, rss / 1e6, pss / 1e6)


def _memory(root: psutil.Process) -> tuple[float, float]:
    rss = pss = 0.0
    try:
        processes = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0, 0.0
    for process in processes:
        try:
            full = process.memory_full_info()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        rss += full.rss
        pss += full.pss
    return rss, pss
