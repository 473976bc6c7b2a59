# make run    start the assistant on what this machine has; set everything up first
# make test   install what the tests need and run them all
SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
UV = $(shell sh tools/uv.sh)
PROFILE ?=

.PHONY: help run test test-long check unit system-run system-test clean

help:
	@sed -n 's/^# make /  make /p' Makefile

run: system-run $(VENV)/.run
	$(VENV)/bin/01 demo $(if $(PROFILE),--profile $(PROFILE))

test: system-test $(VENV)/.test check unit hardware

# make test-long   the long fuzzing, soak and corpus runs too
test-long: system-test $(VENV)/.test check
	$(PY) -m pytest -m "long or not long" --timeout 3600

check: $(VENV)/.test
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# Two at a time: most tests wait for sound to be played more than they compute. A file's tests stay together.
unit: $(VENV)/.test
	$(PY) -m pytest -n 2 --dist loadfile

system-run:
	@sh tools/packages.sh run

system-test:
	@sh tools/packages.sh run test

$(VENV)/.run: requirements.lock pyproject.toml tools/venv.sh
	sh tools/venv.sh "$(UV)" $(VENV) requirements.lock
	@touch $@

$(VENV)/.test: requirements-dev.lock pyproject.toml tools/venv.sh
	sh tools/venv.sh "$(UV)" $(VENV) requirements-dev.lock
	@touch $@ $(VENV)/.run

# make lock   bring the locks up to date with pyproject.toml
lock:
	$(UV) pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml -o requirements.lock
	$(UV) pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml --extra dev -o requirements-dev.lock

# make clean   forget the environments; your settings, models and conversations are kept
clean:
	rm -rf $(VENV) .tools .venv-hardware

include hardware/hardware.mk
