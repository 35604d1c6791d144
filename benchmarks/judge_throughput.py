"""Throughput of questions to a judge at a fixed limit, against a loopback server with a fixed delay.

    python benchmarks/judge_throughput.py [--delay 0.2] [--limits 1,4,16] [--rounds 30] [--pictures 8]
        [--film FILE]

The server is a process of its own that answers each request the delay after it came, what it takes to read
it included, always with the same words, so that it is not what is measured. Questions carry JPEGs: frames of
``--film``, or noise drawn to the size of such frames (512 x 288). Ideal is ``questions / limit`` rounds of
the delay; measured is from the first question handed over to the last verdict back, with cache and recording
written. Bound: .95.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "execution"))
BOUND = 0.95
WIDTH, HEIGHT, QUALITY = 512, 288, 85
REPLY = {
    "object": "chat.completion",
    "model": "m",
    "choices": [
        {
            "finish_reason": "stop",
            "message": {"content": '{"id": "checkpoint.scene_order", "value": 0.5, "says": "so"}'},
        }
    ],
    "usage": {"prompt_tokens": 2400, "completion_tokens": 30},
}


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Read requests of one connection and answer each the delay after its first line came."""
    body = json.dumps(REPLY).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            told = (await reader.readuntil(b"\r\n\r\n")).lower()
            since = time.monotonic()
            length = int(told.split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            await asyncio.sleep(max(0.0, delay - (time.monotonic() - since)))
            writer.write(head.encode() + body)
            await writer.drain()


async def serve(delay: float) -> None:
    """Print the base URL and serve until killed."""
    made = await asyncio.start_server(lambda r, w: answer(r, w, delay), "127.0.0.1", 0, limit=1 << 22)
    print(f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}/v1", flush=True)
    async with made:
        await made.serve_forever()


def pictures(film: Path | None, count: int) -> list[bytes]:
    """JPEGs of evenly spread frames, or of smoothed noise."""
    found = []
    if film is not None:
        reader = cv2.VideoCapture(str(film))
        total = int(reader.get(cv2.CAP_PROP_FRAME_COUNT))
        for n in np.linspace(0, total - 1, count).astype(int):
            reader.set(cv2.CAP_PROP_POS_FRAMES, int(n))
            good, picture = reader.read()
            if good:
                found.append(cv2.resize(picture, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA))
    else:
        rng = np.random.default_rng(0)
        noise = rng.integers(0, 256, (count, HEIGHT // 4, WIDTH // 4, 3), dtype=np.uint8)
        found = [cv2.resize(one, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR) for one in noise]
    return [cv2.imencode(".jpg", one, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes() for one in found]


def measured(url: str, limit: int, rounds: int, jpegs: list[bytes]) -> tuple[int, float]:
    """How many questions, and the seconds that they took."""
    from scripted import question

    from longtake.core.judge import Frame
    from longtake.execution.judge_settings import JudgeSettings
    from longtake.execution.judges import asker_for, open_judge
    from longtake.storage.cache import Cache

    frames = tuple(Frame(float(n), jpeg, WIDTH, HEIGHT) for n, jpeg in enumerate(jpegs))
    judge = open_judge("openai:m", JudgeSettings(base_url=url))
    judge.ask(replace(question(-1), frames=frames))  # imports, and the first connection
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with asker_for(judge, out=folder / "out", cache=Cache(folder / "cache"), concurrency=limit) as asker:
            questions = [replace(question(n), frames=frames) for n in range(limit * rounds)]
            begun = time.perf_counter()
            verdicts = asker.ask(questions)
            took = time.perf_counter() - begun
    if wrong := [v.reason for v in verdicts if v.status != "answered" or v.cached]:
        raise SystemExit(f"not answered: {wrong[0]}")
    return len(verdicts), took


def main() -> int:
    """Print a table; 1 where a limit stays under the bound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--limits", default="1,4,16")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--pictures", type=int, default=8)
    parser.add_argument("--film", type=Path)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.delay))
    jpegs = pictures(given.film, given.pictures)
    print(f"{len(jpegs)} pictures a question, {sum(map(len, jpegs)) / 1e3:.0f} kB; delay {given.delay:g} s")
    command = [sys.executable, __file__, "--serve", "--delay", str(given.delay)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    worst = 1.0
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        print(f"{'limit':>5}  {'questions':>9}  {'ideal/s':>8}  {'measured/s':>10}  ratio")
        for limit in map(int, given.limits.split(",")):
            count, took = measured(url, limit, given.rounds, jpegs)
            ideal, rate = limit / given.delay, count / took
            worst = min(worst, rate / ideal)
            print(f"{limit:5}  {count:9}  {ideal:8.2f}  {rate:10.2f}  {rate / ideal:.3f}", flush=True)
    finally:
        server.terminate()
        server.wait()
    return int(worst < BOUND)


if __name__ == "__main__":
    raise SystemExit(main())
