# Included by the top Makefile. `make hardware` installs what is missing, then proves the board.
UV ?= uv
HW_VENV := .venv-hardware
HW_BIN := $(HW_VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
HW_STAMP := $(HW_VENV)/.locked

.PHONY: hardware hardware-install hardware-exports hardware-enclosure hardware-kicad hardware-lock

## hardware: ERC, netlist rules, deliberate mistakes, exports, BOM, power, PCB and enclosure tests
hardware: hardware-install
	$(HW_BIN)/python -m pytest tests/hardware

## hardware-exports: draw the schematics again and write PDF, SVG, netlist, BOM, tables
hardware-exports: hardware-install
	$(HW_BIN)/python hardware/tools/export.py

## hardware-enclosure: draw the printed parts again (STEP, STL, exploded view)
hardware-enclosure: hardware-install
	cd hardware && $(abspath $(HW_BIN))/python -m enclosure.export

hardware-install: hardware-kicad $(HW_STAMP)

$(HW_STAMP): hardware/requirements.lock
	$(UV) venv --quiet --clear $(HW_VENV)
	$(UV) pip install --quiet --python $(HW_BIN)/python --require-hashes -r hardware/requirements.lock
	@touch $@

hardware-kicad:
	@bash hardware/tools/install_kicad.sh

## hardware-lock: resolve hardware/requirements.in again
hardware-lock:
	$(UV) pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
		hardware/requirements.in -o hardware/requirements.lock
