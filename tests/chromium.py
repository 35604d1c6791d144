"""Chromium for the tests that look at pages and films as a reader does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PATH = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NEEDED = [
    pytest.mark.browser,
    pytest.mark.skipif(PATH is None, reason="Chromium is not installed"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
"""The marks of a module of tests that open it."""


def needed(test: Any) -> Any:
    """The same for a single test."""
    for mark in NEEDED:
        test = mark(test)
    return test


@contextmanager
def launched(*flags: str) -> Iterator[Any]:
    """A running browser; a skip where Playwright is not installed."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PATH, args=[*FLAGS, *flags])
        yield browser
        browser.close()
