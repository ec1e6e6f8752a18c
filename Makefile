# The two commands of a new user are `make demo` and `make test`; `make` alone lists the rest.
# Paths are relative on purpose: make cannot handle a project folder with a space in its name.

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_USER := 0

# What keeps this Python from making the venv, in one line; empty when all is well. Asked only when the venv is missing.
define NEEDS
command -v "$(PYTHON)" >/dev/null 2>&1 || { echo "$(PYTHON) is not there: install Python 3.11 or newer (Debian: apt-get install python3 python3-venv), or name one: make PYTHON=/path/to/python3.12"; exit; }; \
"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is too old, Python 3.11 or newer is needed: name one, like make PYTHON=python3.12"; exit; }; \
"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) cannot make a virtual environment: apt-get install python3-venv (or the package of this Python, like python3.12-venv)"; exit; }; \
test -w . || echo "this folder may not be written by $$(id -un): clone the project as this user, or change the owner of the folder"
endef
PROBLEM = $(shell $(NEEDS))

.DEFAULT_GOAL := help
.PHONY: help demo test lint check format clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name what; do printf '  make %-8s %s\n' "$$name" "$$what"; done

demo: .venv/ready ## a small shop on this machine, from its pages to finished files (under var/demo/)
	@$(BIN)/python -m demo

test: .venv/ready-dev ## the tests
	@$(BIN)/python -m pytest

lint: .venv/ready-dev ## format, style, types and the direction of imports
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

check: lint test ## the one gate: lint and test, the same in CI

format: .venv/ready-dev ## put the code into the house format
	$(BIN)/python -m ruff check --fix-only --quiet .
	$(BIN)/python -m ruff format .

clean: ## remove the venv, the caches and the demo's data; the rest of var/ stays
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache var/demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp is older than what it was made from when that changes, and is written last: a broken start is made again.
.venv/made:
	$(if $(strip $(PROBLEM)),$(error $(PROBLEM)))
	@echo "Making .venv (once; it takes about a minute)"
	@rm -rf .venv
	@"$(PYTHON)" -m venv .venv
	@touch $@

.venv/ready: .venv/made pyproject.toml constraints.txt
	@$(BIN)/python -m pip install --quiet --editable . --constraint constraints.txt
	@touch $@

.venv/ready-dev: .venv/made pyproject.toml constraints.txt
	@$(BIN)/python -m pip install --quiet --editable '.[dev]' --constraint constraints.txt
	@touch $@
	@touch .venv/ready
