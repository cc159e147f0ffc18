# Needs python3 (3.11 or newer) with pip, and make; everything else is installed into .venv, from wheels with known hashes.

PYTHON ?= python3
# One more than cores: a worker that waits for a database or a browser leaves its core to another.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(len(os.sched_getaffinity(0)) + 1)')
PYTEST_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
READY := $(VENV)/.ready
TEST_READY := $(VENV)/.ready-to-test
# Not the environment's own pip: where python3-venv is missing there is none.
INSTALL := $(PYTHON) -m pip --disable-pip-version-check --python $(BIN)/python install --quiet

# Some containers set it; the tests start two hundred interpreters, and each would compile the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install run test proof pythons lint style types repository mutants house soak lock clean

help: ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

install: $(READY) ## create the environment .venv with the command matchwire

run: $(READY) ## start the demo: a provider that replays real matches, the daemon, API and web page
	$(BIN)/matchwire demo

test: $(TEST_READY) ## the tests that every change runs: in process and in virtual time; PYTEST_ARGS="-k goal", WORKERS=8
	$(PYTEST) -m "not proof and not soak" -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

proof: $(TEST_READY) ## everything else that is bounded: real kills, recordings, screens x databases, other Pythons
	$(PYTEST) -m "proof and not soak" -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)
	$(MAKE) --no-print-directory pythons

pythons: $(TEST_READY) ## of these, a slice of the tests with each other Python that the package promises and this machine has
	$(PYTHON) -m tools.other_pythons -n $(WORKERS)

lint: style types repository ## ruff, formatting, types, and what documents, names and locks of this repository promise each other

style: $(TEST_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TEST_READY)
	$(BIN)/mypy

repository: $(TEST_READY)
	$(BIN)/python -m tools.check_repository

mutants: $(TEST_READY) ## faults in the core of mapping and in each rule of the sync: which of them do its tests and histories catch?
	$(BIN)/python -m tools.mutants
	$(BIN)/python -m tests.simulation.plants

house: $(TEST_READY) ## measure how the product is built: rooms, circles, capabilities, names
	$(BIN)/python -m tools.house

soak: $(TEST_READY) ## the long tests: kill loops, fuzzing, simulated days, fresh examples for properties
	$(PYTEST) -m "soak or hypothesis" --hypothesis-profile=fresh $(PYTEST_ARGS)

# An environment that was left half-made has no interpreter that runs, and is made anew.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "matchwire needs Python 3.11 or newer; name one: make PYTHON=python3.12 …")'
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --without-pip --clear $(VENV)
	@echo "installing into $(VENV) …"
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(TEST_READY): $(READY) requirements-test.lock
	@echo "installing what the tests need into $(VENV) …"
	@$(INSTALL) --require-hashes -r requirements-test.lock
	@touch $@

# editables: what the build backend needs for an editable install, and names only while it builds.
lock: ## resolve all versions anew: requirements.lock for running, requirements-test.lock for tests and benchmarks too
	@set -e; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; \
	$(PYTHON) -m venv --without-pip "$$work/venv"; \
	$(PYTHON) -m pip --disable-pip-version-check --python "$$work/venv/bin/python" install --quiet uv; \
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
	    > "$$work/build.in"; \
	echo editables >> "$$work/build.in"; \
	resolve() { "$$work/venv/bin/uv" pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
	    --custom-compile-command "make lock" "$$@" pyproject.toml "$$work/build.in"; }; \
	resolve --upgrade --extra bench --extra brotli --extra s3 --extra test --extra traces --output-file requirements-test.lock; \
	cp requirements-test.lock requirements.lock; \
	resolve --output-file requirements.lock # keeps the versions that it finds there

clean: ## remove the environment and all caches
	rm -rf $(VENV) .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
