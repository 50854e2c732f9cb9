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
.PHONY: help demo test test-quick test-slow test-browser test-spark lint format types check bench tables docs docs-serve install break audit-deps sbom tested clean bench-spark

help: ## list the tasks
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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

test-spark: $(STAMP) ## compare Spark with work in memory (Java 17)
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

bench-spark: $(STAMP) ## measure Spark on this machine beside work in memory (LARGE=1: 5,000,000 records too; Java 17)
	$(BIN)/python -m pip install --quiet --editable ".[spark]"
	$(BIN)/python -m benchmarks.run spark --json build/bench.json $(if $(LARGE),--large)

CAMPAIGN ?= fuzz
SECONDS ?= 60
TIMES ?= 10
SEED ?= 1

break: $(STAMP) ## try to break it: CAMPAIGN=fuzz (SECONDS=60), bombs, meaning, faults (TIMES=10), spark or studio; SEED=1
	$(if $(filter spark,$(CAMPAIGN)),$(BIN)/python -m pip install --quiet --editable ".[spark]")
	$(BIN)/python -m reliability.run $(CAMPAIGN) --seconds $(SECONDS) --times $(TIMES) --seed $(SEED)

$(VENV)/.supply: $(STAMP)
	$(BIN)/python -m pip install --quiet --group supply
	@touch $@

audit-deps: $(VENV)/.supply ## look up known faults of the tested versions of all dependencies
	$(BIN)/python -m reliability.run deps

sbom: $(VENV)/.supply ## write the bill of materials of the tested versions, in CycloneDX, to build/sbom.json
	$(BIN)/python -m reliability.run sbom

tested: $(VENV)/.supply ## write the versions installed here, with hashes, to requirements/tested.txt
	$(BIN)/python -m pip freeze --exclude-editable > $(VENV)/installed.txt
	$(BIN)/uv pip compile pyproject.toml --all-extras --generate-hashes --universal --python-version 3.11 --no-header \
		--no-annotate --quiet --constraint $(VENV)/installed.txt --output-file requirements/tested.txt

EXPERIMENTS := datasets disassociation thesis cover tuning generalisation slicing known-person likely-counts \
	table-readers made-elsewhere
tables: $(STAMP) ## run the experiments behind docs/results anew on the public data sets (hours)
	for name in $(EXPERIMENTS); do $(BIN)/cloven reproduce $$name --out . || exit; done

docs: $(STAMP) ## build the documentation as a site, to be read from disk
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "open site/index.html"

docs-serve: $(STAMP) ## show the site on this machine, built anew at every change
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
