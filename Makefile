# One set of commands for people and CI. Everything happens in .venv; nothing outside this folder is touched
# but the cache (LONGTAKE_CACHE, or the platform's user cache).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CLIPS := .demo/clips
WEIGHTS := .demo/weights
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= 2

.PHONY: demo test check bench docs clips clean

demo: $(VENV)/.base clips
	$(BIN)/longtake models pull --all || echo "going on without the weights that are missing"
	$(BIN)/longtake diagnose $(CLIPS)/bikes.mp4 --brief src/longtake/data/demo-brief.json --out .demo/report

test: $(VENV)/.dev clips
	LONGTAKE_CACHE=$(WEIGHTS) $(BIN)/longtake models pull --all whisper-tiny.en || echo "without the weights their tests skip"
	LONGTAKE_TEST_WEIGHTS=$(WEIGHTS) $(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks scripts
	$(BIN)/ruff format --check src tests benchmarks scripts
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/one_opencv.py

bench: $(VENV)/.bench clips
	LONGTAKE_CACHE=$(WEIGHTS) $(BIN)/longtake models pull --all
	LONGTAKE_TEST_WEIGHTS=$(WEIGHTS) $(BIN)/python benchmarks/run.py

docs: $(VENV)/.dev
	$(BIN)/python scripts/make_docs.py

clips: | $(VENV)/.base
	$(BIN)/python scripts/fetch_clips.py $(CLIPS)

$(VENV)/.base: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("longtake needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[offline]'
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(PIP) -e '.[test,check]'
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) -e '.[bench]' click
	$(PIP) --no-deps scenedetect
	touch $@

clean:
	rm -rf $(VENV) .demo build dist
