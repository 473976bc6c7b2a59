"""Profiles: what is valid is used, what is not is named with its line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from zero_one.config import profiles as store
from zero_one.config.problems import ConfigError, all_fields, allowed
from zero_one.config.profiles import chain, create, ensure_default, find, listing, read


def errors(text: str | bytes, path: Path) -> list[str]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        read(path)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("model:\n  temprature: 1\n", 2, ["model.temprature", "Did you mean `temperature`?"]),
        ("model:\n  name: x\n  temperature: hot\n", 3, ["'hot'", "a number from 0 to 2", "nothing"]),
        ("server:\n  port: 99999\n", 2, ["99999", "whole number from 0 to 65535"]),
        ("server:\n  port: 80.5\n", 2, ["80.5", "whole number"]),
        ("server: {kind: lite}\n", 1, ["'lite'", "one of light, livekit", "Did you mean `light`?"]),
        ("client:\n\n  mode: Hold\n", 3, ["one of hold, tap", "Did you mean `hold`?"]),
        ("temperature: 1\n", 1, ["`model.temperature`"]),
        ("debug: true\nmodl:\n  name: x\n", 2, ["Did you mean `model`?"]),
        ("llm:\n  model: x\n", 1, ["it is called `model`"]),
        ("model: gpt-5\n", 1, ["a section", "`model:`", "`name: ...`"]),
        ("speak:\n  rate: true\n", 2, ["true or false", "0.4 to 3"]),
        ("speak:\n  volume: -1\n", 2, ["-1", "0 to 100"]),
        ("hear:\n  hotwords: 5\n", 2, ["a list of texts"]),
        ("caps:\n  seconds: 0\n", 2, ["a number above 0"]),
        ("multimodal: maybe\n", 1, ["true or false"]),
        ("model:\n  name: a\n  name: b\n", 3, ["second time", "line 2"]),
        ("- a\n- b\n", 1, ["`name: value`"]),
        ("model:\n\tname: x\n", 2, ["not valid YAML", "tabs"]),
        ("model:\n  name: 'x\n", 2, ["never closed"]),
        ("a: b: c\n", 1, ["not valid YAML"]),
        ("model:\n  name: !!python/object/apply:os.system ['touch hit']\n", 2, ["nothing in them is executed"]),
        ("model: !include other.yaml\n", 1, ["is a tag"]),
        ("? [a, b]\n: c\n", 1, ["a name must be plain text"]),
        ("base: &b {name: x}\nmodel:\n  <<: *b\n", 3, ["merge keys", "extends"]),
        ("extends: https://example.com/p.yaml\n", 1, ["the name of another profile"]),
        ("extends: ../../etc/passwd\n", 1, ["the name of another profile"]),
        ("extends: [fast]\n", 1, ["must be text"]),
        ("hear:\n  language: ${HOME}\n", 2, ["may name an environment variable"]),
        (b"model:\n  name: \xff\xfe\n", 2, ["not UTF-8"]),
        (b"model:\n  name: a\0b\n", 2, ["NUL"]),
        ("model:\n  instructions: >\n   a\n  bogus: 1\n", 4, ["model.bogus"]),
    ],
)
def test_an_error_names_the_line_and_what_is_allowed(
    tmp_path: Path, text: str | bytes, line: int, words: list[str]
) -> None:
    """Each of these is refused with file:line and words that help."""
    path = tmp_path / "p.yaml"
    found = errors(text, path)
    assert any(one.startswith(f"{path}:{line}: ") and all(word in one for word in words) for one in found), found
    assert not Path("hit").exists()


def test_all_problems_are_told_at_once_and_in_order(tmp_path: Path) -> None:
    found = errors("hear:\n  x: 1\nmodel:\n  y: 1\nspeak:\n  rate: 9\n", tmp_path / "p.yaml")
    assert [one.split(":")[1] for one in found] == ["2", "4", "6"]


def test_every_setting_can_say_what_it_may_hold() -> None:
    assert all(allowed(key) for key in all_fields())


def test_a_key_is_never_in_an_error(tmp_path: Path) -> None:
    found = errors("model:\n  api_key: [sk-secret]\n", tmp_path / "p.yaml")
    assert "sk-secret" not in "".join(found)


def test_words_that_yaml_takes_for_something_else_stay_words(tmp_path: Path) -> None:
    """`no` is Norwegian, `on` a hotword, and a date an API version."""
    path = tmp_path / "p.yaml"
    path.write_text(
        "hear: {language: no, languages: [en, no], hotwords: [on, 2024]}\nmodel: {api_version: 2024-06-01, name: 5}\n"
    )
    values = read(path).values
    assert values["hear", "language"] == "no"
    assert values["hear", "languages"] == ["en", "no"]
    assert values["hear", "hotwords"] == ["on", "2024"]
    assert values["model", "api_version"] == "2024-06-01"
    assert values["model", "name"] == "5"


def test_an_empty_profile_and_empty_sections_are_valid(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("# nothing\nmodel:\n  # name: x\nhear:\n")
    assert read(path).values == {}


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"b{i}: &b{i} [{','.join(['*b' + str(i - 1) if i else '*a'] * 9)}]\n" for i in range(9)),
        "model: &m\n  name: *m\n",
        "[" * 900,
        "{a: " * 900,
        "[" * 250_000,
        "x" * 310_000,
        "model:\n" + "".join(f"  k{i}: 1\n" for i in range(6_000)),
    ],
    ids=["laughs", "cycle", "deep list", "deep map", "brackets", "huge", "many"],
)
def test_hostile_files_end_in_one_clear_line(tmp_path: Path, text: str) -> None:
    found = errors(text, tmp_path / "p.yaml")
    assert len(found) == 1
    assert len(found[0]) < 400


def test_a_folder_or_nothing_is_no_profile(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path)
    with pytest.raises(ConfigError, match=r"no profile `nope`.*There are: default"):
        find("nope")


@pytest.mark.parametrize(
    "wanted", ["https://example.com/x.yaml", "http://localhost/x", "ftp://x/y.py", "file:///etc/passwd"]
)
def test_an_address_is_never_fetched(wanted: str) -> None:
    with pytest.raises(ConfigError, match="nothing is ever fetched"):
        find(wanted)


def test_python_is_never_run_as_a_profile(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("open('hit', 'w')")
    with pytest.raises(ConfigError, match="01 profiles import"):
        find(str(path))
    assert not Path("hit").exists()


def test_names_of_the_first_01_still_find_a_profile() -> None:
    """`--profile fast.py` named a file there; the profile of that name answers here."""
    assert find("fast.py") == find("fast") == find("fast.yaml")


def test_every_built_in_profile_is_valid_and_described() -> None:
    built_in = [one for one in listing() if one.builtin]
    assert {"default", "fast", "local", "offline", "openai", "groq"} <= {one.name for one in built_in}
    for one in built_in:
        assert read(one.path).description
        assert chain(one.name)


def test_the_template_is_valid_as_it_is_and_with_every_line_taken_in(tmp_path: Path) -> None:
    """Whoever removes the # from any of its lines gets a valid profile."""
    text = (store.BUILTIN / "template.txt").read_text()
    path = tmp_path / "p.yaml"
    path.write_text(text)
    assert read(path).values == {}
    taken = "\n".join(line[2:] for line in text.split("\n\n", 1)[1].splitlines() if line.startswith("# "))
    path.write_text(taken)
    assert len(read(path).values) > 15


def test_the_default_profile_is_made_once_and_is_private(profiles: Path) -> None:
    path = ensure_default()
    assert path == profiles / "default.yaml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or os.name == "nt"
    path.write_text("debug: true\n")
    assert ensure_default().read_text() == "debug: true\n"
    assert find("default") == path


def test_create_copies_and_never_overwrites(profiles: Path) -> None:
    path = create("mine", "fast")
    assert read(path).values == read(find("fast")).values
    with pytest.raises(ConfigError, match="already"):
        create("mine")
    assert create("mine", force=True).read_text().startswith("# A profile")
    for bad in ("../x", "", "a b", "x.yaml", ".hidden", "a/b"):
        with pytest.raises(ConfigError, match="letters"):
            create(bad)


def test_extends_builds_on_another_and_never_in_circles(profiles: Path) -> None:
    (profiles / "a.yaml").write_text("extends: fast\nmodel: {max_tokens: 5}\n")
    assert [one.name for one in chain("a")] == ["fast", "a"]
    (profiles / "fast.yaml").write_text("extends: fast\ncaps: {steps: 3}\n")
    assert [one.builtin for one in chain("a")] == [True, False, False], "a profile may build on the one it hides"
    (profiles / "b.yaml").write_text("extends: c\n")
    (profiles / "c.yaml").write_text("extends: b\n")
    with pytest.raises(ConfigError, match="back to itself"):
        chain("b")
