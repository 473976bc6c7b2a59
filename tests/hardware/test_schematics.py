"""The committed sheets: ERC clean, drawn by the generator, readable by other tools, exported as they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SHEETS = ["usb_charger", "battery_rails", "mcu", "audio", "user_interface", "expansion"]
TOPS = ["zero_one_light", "boards/m5stack_atom_echo", "boards/esp32_s3_box_3"]


@pytest.mark.parametrize("name", TOPS)
def test_erc_finds_nothing_at_any_severity(root: Path, tmp_path: Path, name: str) -> None:
    """All severities, KiCad's default rules, no exclusions: not one violation on any sheet."""
    import kicad

    report = tmp_path / "erc.json"
    kicad.cli(
        "sch",
        "erc",
        "--severity-all",
        "--format",
        "json",
        "-o",
        report,
        root / "hardware" / "schematics" / f"{name}.kicad_sch",
    )
    sheets = json.loads(report.read_text(encoding="utf-8"))["sheets"]
    assert len(sheets) == (7 if name == "zero_one_light" else 1)
    assert [violation for sheet in sheets for violation in sheet["violations"]] == []


def test_erc_rules_are_kicads_defaults(root: Path) -> None:
    """No project file lowers a severity or excludes a violation."""
    for project in (root / "hardware" / "schematics").rglob("*.kicad_pro"):
        erc = json.loads(project.read_text(encoding="utf-8")).get("erc", {})
        assert erc.get("rule_severities", {}) == {} and erc.get("erc_exclusions", []) == [], project.name


def test_generator_reproduces_the_committed_sheets(root: Path, tmp_path: Path) -> None:
    """Drawing again gives the committed files byte for byte."""
    import boards
    import generate

    generate.board(tmp_path)
    boards.write_all(tmp_path / "boards", generate.REVISION, generate.DATE)
    fresh = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.kicad_sch"))
    assert len(fresh) == len(SHEETS) + 3
    for path in fresh:
        assert (tmp_path / path).read_bytes() == (root / "hardware" / "schematics" / path).read_bytes(), path


def test_kiutils_reads_every_sheet(root: Path) -> None:
    """An independent reader sees A4 sheets with a title, and each part with an order number."""
    from kiutils.schematic import Schematic

    for name in [*SHEETS, "zero_one_light"]:
        sheet = Schematic.from_file(str(root / "hardware" / "schematics" / f"{name}.kicad_sch"))
        assert sheet.paper.paperSize == "A4"
        assert sheet.titleBlock is not None
        assert sheet.titleBlock.title
        for symbol in sheet.schematicSymbols:
            fields = {field.key: field.value for field in symbol.properties}
            if symbol.inBom and not fields["Reference"].startswith("#"):
                assert fields.get("MPN"), f"{name}: {fields['Reference']}"


def test_exports_match_their_sources() -> None:
    """PDF, SVG, netlist, BOM and tables in the repository are what the sources give now."""
    import export

    assert export.differences() == []
