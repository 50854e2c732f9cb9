# Tasks of the project. `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CHROMIUM := $(firstword $(foreach name,chromium chromium-browser google-chrome,$(shell command -v $(name))))
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Each worker takes neighbours, which share what they prepare; who is done takes over from the others.
WORKERS := -n auto --dist worksteal
# Without the compiled modules that Python keeps, every command reads all of them anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-quick test-slow test-browser test-spark lint format types check bench tables docs docs-serve install fuzz fuzz-guided bombs meaning faults studio-faults audit-deps sbom tested clean

help: ## list the tasks
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[text]" --group dev # imports compile what they need
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --group compared # pyCANON pins numpy, pandas and scipy of its own
	@touch $(STAMP)

$(VENV)/.rivals: $(STAMP)
	$(BIN)/python -m pip install --quiet --no-deps --group rivals
	@touch $@

$(VENV)/.browser: $(STAMP)
	$(BIN)/python -m pip install --quiet --no-compile --group browser
	@touch $@

$(VENV)/.demo: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --editable . # what is imported is compiled then; the rest never
	@touch $@

install: $(STAMP) ## make the virtual environment with everything for development

demo: $(VENV)/.demo ## audit the built-in sample and say where the result is
	@echo "The first run compiles its kernels while it works: two to three minutes in all, up to five on a slow machine; later runs are faster."
	$(BIN)/cloven audit || test $$? -eq 1  # 1: it was audited and is not to be published

test: $(STAMP) $(if $(CHROMIUM),$(VENV)/.browser) ## run all tests but the slow ones (minutes, part of it compiling); pages are opened where Chromium is
	$(BIN)/python -m pytest $(WORKERS) $(if $(CHROMIUM),-m "not slow and not spark")
	@$(if $(CHROMIUM),,echo "no chromium on this machine: the report and the studio were not opened in a browser")

test-quick: $(STAMP) # the tests that need no browser
	$(BIN)/python -m pytest $(WORKERS)

test-browser: $(STAMP) $(VENV)/.browser ## open the report and the studio in Chromium (Debian package chromium)
	$(BIN)/python -m pytest $(WORKERS) -m browser tests/browser

test-spark: $(STAMP) ## compare the Spark engine with the local one (Java 17)
	$(BIN)/python -m pip install --quiet --editable ".[spark]"
	$(BIN)/python -m pytest -m spark tests/spark

test-slow: $(STAMP) ## run the tests that take minutes, and every law on all its examples
	CLOVEN_THOROUGH=1 $(BIN)/python -m pytest -n auto -m "(slow or hypothesis) and not browser"

lint: $(STAMP) ## style and common mistakes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(STAMP) ## let ruff put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP) ## check the types
	$(BIN)/mypy

check: lint types test ## what has to be green before a change is proposed

bench: $(VENV)/.rivals ## measure speed (LARGE=1: 10^7 records too; PARTS="plain growth": these alone; BESIDE=../other: old beside new)
	$(BIN)/python -m benchmarks.run $(PARTS) --json build/bench.json $(if $(LARGE),--large) $(if $(BESIDE),--beside $(BESIDE))

bench-spark: $(STAMP) ## measure Spark on this machine beside its own engine (LARGE=1: 5,000,000 records too; Java 17)
	$(BIN)/python -m pip install --quiet --editable ".[spark]"
	$(BIN)/python -m benchmarks.run spark --json build/bench.json $(if $(LARGE),--large)

SECONDS ?= 60
TIMES ?= 10
OTHERS ?= 5
SEED ?= 1

fuzz: $(STAMP) ## open changed files of every kind (SECONDS=60, SEED=1): nothing may break, no index may leave its array
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=build/watched $(BIN)/python -m reliability.fuzz --seconds $(SECONDS) --seed $(SEED)

bombs: $(STAMP) ## open small files that unpack to gigabytes
	$(BIN)/python -m reliability.bombs

$(VENV)/.guided: $(STAMP)
	$(BIN)/python -m pip install --quiet --group fuzz
	@touch $@

fuzz-guided: $(VENV)/.guided ## let coverage guide the bytes of every reader that parses them (SECONDS=60 each, atheris)
	$(BIN)/python -m reliability.guided --seconds $(SECONDS) --seed $(SEED)

meaning: $(STAMP) ## change what small releases say, with right hashes (SEED=1): verify must notice
	$(BIN)/python -m reliability.meaning --seconds $(SECONDS) --seed $(SEED)

faults: $(STAMP) ## kill commands, fill their disk, damage what they keep (TIMES=10, SEED=1): they go on as if nothing was
	$(BIN)/python -m reliability.faults --times $(TIMES) --others $(OTHERS) --seed $(SEED)

faults-spark: $(STAMP) ## kill driver, Java and workers of Spark (TIMES=10, SEED=1, Java 17): a release is whole or not there
	$(BIN)/python -m pip install --quiet --editable ".[spark]"
	$(BIN)/python -m reliability.spark_faults --times $(TIMES) --seed $(SEED)

ROUNDS ?= 10

studio-faults: $(STAMP) ## kill the studio in the middle of runs (ROUNDS=10), and read it by fifty at once
	$(BIN)/python -m reliability.studio --rounds $(ROUNDS)

$(VENV)/.supply: $(STAMP)
	$(BIN)/python -m pip install --quiet --group supply
	@touch $@

audit-deps: $(VENV)/.supply ## look up known faults of the tested versions of all dependencies
	$(BIN)/python -m reliability.supply audit

sbom: $(VENV)/.supply ## write the bill of materials of the tested versions, in CycloneDX, to build/sbom.json
	$(BIN)/python -m reliability.supply sbom

tested: $(VENV)/.supply ## write the versions installed here, with hashes, to requirements/tested.txt
	$(BIN)/python -m pip freeze --exclude-editable > $(VENV)/installed.txt
	$(BIN)/uv pip compile pyproject.toml --all-extras --generate-hashes --universal --python-version 3.11 --no-header \
		--no-annotate --quiet --constraint $(VENV)/installed.txt --output-file requirements/tested.txt

tables: $(STAMP) ## make the tables of docs/results anew from the public data sets
	$(BIN)/cloven reproduce datasets --out docs/results
	$(BIN)/cloven reproduce disassociation --out docs/results
	$(BIN)/cloven reproduce thesis --out docs/results
	$(BIN)/cloven reproduce cover --out docs/results
	$(BIN)/cloven reproduce tuning --out docs/results
	$(BIN)/cloven reproduce generalisation --out docs/results
	$(BIN)/cloven reproduce slicing --out docs/results
	$(BIN)/cloven reproduce known-person --out docs/results
	$(BIN)/cloven reproduce made-elsewhere --out docs/results

docs: $(STAMP) ## build the documentation as a site, to be read from disk
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "open site/index.html"

docs-serve: $(STAMP) ## show the site on this machine, built anew at every change
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
