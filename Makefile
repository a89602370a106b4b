# Everything a person does here. Installing happens by itself, once.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STRATEGY ?=
SCENARIO ?=
WINDOW   ?=

.DEFAULT_GOAL := help
.PHONY: help bench test check format perf clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

bench: $(VENV)/run.stamp ## replay and compare; STRATEGY=goose-like SCENARIO=file-or-name WINDOW=64k
	@$(BIN)/compaction-bench run \
	  $(foreach name,$(STRATEGY),--strategy '$(name)') \
	  $(foreach name,$(SCENARIO),--scenario '$(name)') \
	  $(if $(WINDOW),--window '$(WINDOW)')

test: $(VENV)/dev.stamp check ## all checks and tests
	@$(BIN)/python -m pytest

check: $(VENV)/dev.stamp ## formatting, lint, types, import directions
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/dev.stamp ## reformat and fix what can be fixed
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

perf: $(VENV)/dev.stamp ## speed against the bars of the design
	@$(BIN)/python -m pytest tests/perf --benchmark-only --benchmark-disable-gc -s

clean: ## remove what was installed and cached
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: $(VENV)/bin/python pyproject.toml
	@echo "installing (once)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/bin/python pyproject.toml
	@echo "installing the tools of development (once)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $(VENV)/run.stamp $@
