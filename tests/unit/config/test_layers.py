"""Default, profile, environment, flags: the later wins, and every value knows where it came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from zero_one.config.environment import Environment, variable
from zero_one.config.problems import ConfigError, all_fields
from zero_one.config.providers import PROVIDERS, base_url, provider_of
from zero_one.config.resolve import is_loopback, is_loopback_url, parse_set, resolve


def test_each_layer_wins_over_the_one_before(profiles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One setting through all four layers."""
    key = ("caps", "steps")
    assert (resolve().settings.caps.steps, resolve().source(key)) == (25, "default")
    path = profiles / "mine.yaml"
    path.write_text("caps:\n  steps: 7\n")
    got = resolve("mine")
    assert (got.settings.caps.steps, got.source(key)) == (7, f"profile {path}:2")
    monkeypatch.setenv("ZERO_ONE_CAPS_STEPS", "8")
    got = resolve("mine")
    assert (got.settings.caps.steps, got.source(key)) == (8, "environment ZERO_ONE_CAPS_STEPS")
    got = resolve("mine", {key: 9})
    assert (got.settings.caps.steps, got.source(key)) == (9, "flag --set caps.steps")


def test_every_setting_has_one_variable() -> None:
    names = [variable(key) for key in all_fields()]
    assert len(names) == len(set(names))
    assert not set(names) & {"ZERO_ONE_HOME", "ZERO_ONE_MODELS", "ZERO_ONE_PROFILE"}


def test_values_in_variables_are_read_as_their_setting_needs_them() -> None:
    values = {
        "ZERO_ONE_MODEL": "ollama/llama3.2",
        "ZERO_ONE_MODEL__MAX_TOKENS": "100",
        "ZERO_ONE_DEBUG": "yes",
        "ZERO_ONE_HEAR_LANGUAGES": "en, de,no",
        "ZERO_ONE_SPEAK_VOICE": "null",
        "ZERO_ONE_HEAR_DOWNLOAD": "0",
        "ZERO_ONE_SPEAK_RATE": " 1.5 ",
    }
    got = resolve(environment=Environment(values)).settings
    assert got.model.name == "ollama/llama3.2"
    assert got.model.max_tokens == 100
    assert got.debug is True
    assert got.hear.languages == ("en", "de", "no")
    assert got.speak.voice is None
    assert got.hear.download is False
    assert got.speak.rate == 1.5


def test_a_bad_variable_is_named_and_an_unknown_one_warned_of() -> None:
    with pytest.raises(
        ConfigError, match=r"environment ZERO_ONE_SERVER_PORT: server.port: given 'ten'; .*whole number"
    ):
        resolve(environment=Environment({"ZERO_ONE_SERVER_PORT": "ten"}))
    warnings = resolve(environment=Environment({"ZERO_ONE_SERVER_PROT": "1"})).warnings
    assert len(warnings) == 1
    assert "Did you mean `ZERO_ONE_SERVER_PORT`?" in warnings[0]


def test_a_bad_flag_is_named() -> None:
    with pytest.raises(ConfigError, match=r"--server-port: server.port: given 'x'"):
        resolve(flags={("server", "port"): "x"})
    with pytest.raises(ConfigError, match=r"Did you mean `model.temperature`"):
        parse_set("model.temprature=1")
    with pytest.raises(ConfigError, match="write it as"):
        parse_set("model.name")
    assert parse_set("hear.hotwords=a,b") == (("hear", "hotwords"), ["a", "b"])
    assert parse_set("model.instructions=a=b") == (("model", "instructions"), "a=b")


@pytest.mark.usefixtures("home")
def test_a_dotenv_of_the_working_folder_decides_nothing_about_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have come with somebody else's files; the owner's own environment and flags count."""
    Path(".env").write_text("ZERO_ONE_APPROVAL_AUTO_RUN=1\nZERO_ONE_APPROVAL_SAFE_MODE=off\nZERO_ONE_CAPS_STEPS=4\n")
    got = resolve()
    assert (got.settings.approval.auto_run, got.settings.approval.safe_mode) == (False, "auto")
    assert got.settings.caps.steps == 4
    assert sum("is ignored" in warning for warning in got.warnings) == 2
    monkeypatch.setenv("ZERO_ONE_APPROVAL_SAFE_MODE", "ask")
    got = resolve(flags={("approval", "auto_run"): True})
    assert (got.settings.approval.auto_run, got.settings.approval.safe_mode) == (True, "ask")
    assert got.source(("approval", "auto_run")) == "flag --auto-run"


def test_dotenv_files_are_read_and_the_real_environment_wins(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / ".env").write_text("ZERO_ONE_CAPS_STEPS=3\nZERO_ONE_SPEAK_RATE=2\n")
    Path(".env").write_text("# mine\nexport ZERO_ONE_CAPS_STEPS='4'\nZERO_ONE_SPEAK_VOLUME=50\nPATH=/evil\n")
    got = resolve()
    assert got.settings.caps.steps == 4
    assert got.settings.speak.rate == 2
    assert str(Path(".env").absolute()) in got.source(("caps", "steps"))
    monkeypatch.setenv("ZERO_ONE_SPEAK_VOLUME", "60")
    assert resolve().settings.speak.volume == 60


def test_only_our_names_and_the_usual_ones_are_taken_from_a_dotenv_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from zero_one.config.environment import gather

    monkeypatch.delenv("LD_PRELOAD", raising=False)
    Path(".env").write_text("LD_PRELOAD=/evil.so\nGROQ_API_KEY=$(touch hit)\n")
    values = gather().values
    assert "LD_PRELOAD" not in values
    assert values["GROQ_API_KEY"] == "$(touch hit)"
    assert not Path("hit").exists()


def test_a_dotenv_file_that_is_no_text_is_named() -> None:
    Path(".env").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"\.env:1: it is not UTF-8"):
        resolve()


def test_a_broken_dotenv_line_does_not_stop_the_rest() -> None:
    Path(".env").write_text("this is = = not\n'\nZERO_ONE_CAPS_STEPS=4\n")
    assert resolve().settings.caps.steps == 4


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-5", "OPENAI_API_KEY"),
        ("o3-mini", "OPENAI_API_KEY"),
        ("openai/gpt-5-mini", "OPENAI_API_KEY"),
        ("claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("groq/llama-3.3-70b-versatile", "GROQ_API_KEY"),
        ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
        ("azure/my-deployment", "AZURE_API_KEY"),
        ("openrouter/openai/gpt-5", "OPENROUTER_API_KEY"),
    ],
)
def test_the_key_of_the_models_provider_is_found_under_its_usual_name(model: str, name: str) -> None:
    """And no other provider's key is ever given to it."""
    values = {key: f"value-of-{key}" for one in PROVIDERS.values() for key in one.keys}
    got = resolve(environment=Environment({**values, "ZERO_ONE_MODEL_NAME": model}))
    assert got.settings.model.api_key == f"value-of-{name}"
    assert got.source(("model", "api_key")) == f"environment {name}"


def test_without_a_model_a_key_in_the_environment_names_none() -> None:
    """Nothing leaves the machine that the profile does not name."""
    got = resolve(environment=Environment({"OPENAI_API_KEY": "k"}))
    assert got.settings.model.name is None
    assert got.settings.model.api_key is None


def test_azure_and_openai_addresses_and_versions() -> None:
    azure = {"AZURE_API_KEY": "k", "AZURE_API_BASE": "https://x.example/", "AZURE_API_VERSION": "2024-06-01"}
    model = resolve(environment=Environment({**azure, "ZERO_ONE_MODEL": "azure/d"})).settings.model
    assert (model.api_base, model.api_version) == ("https://x.example", "2024-06-01")
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        model = resolve(environment=Environment({name: "http://h/v1", "ZERO_ONE_MODEL": "gpt-5"})).settings.model
        assert model.api_base == "http://h/v1"


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("0.0.0.0:11500", "http://127.0.0.1:11500"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("box.local", "http://box.local:11434"),
        (":9000", "http://127.0.0.1:9000"),
        ("https://box/", "https://box"),
    ],
)
def test_ollama_host_in_all_its_forms(value: str, url: str) -> None:
    assert base_url("OLLAMA_HOST", value) == url
    got = resolve(environment=Environment({"OLLAMA_HOST": value, "ZERO_ONE_MODEL": "ollama/llama3.2"}))
    assert got.settings.model.api_base == url


def test_the_environments_key_counts_over_the_profiles(profiles: Path) -> None:
    (profiles / "mine.yaml").write_text("model: {name: gpt-5, api_key: from-profile}\n")
    got = resolve("mine", environment=Environment({"OPENAI_API_KEY": "from-environment"}))
    assert got.settings.model.api_key == "from-environment"


def test_a_key_for_the_profiles_own_address_is_not_replaced_by_the_providers(profiles: Path) -> None:
    """The key of a paid account must not be sent to the server that a profile names with a key of its own."""
    (profiles / "mine.yaml").write_text(
        "model: {name: openai/x, api_key: none, api_base: 'http://127.0.0.1:1234/v1'}\n"
    )
    got = resolve("mine", environment=Environment({"OPENAI_API_KEY": "paid", "OPENAI_BASE_URL": "http://elsewhere/"}))
    assert got.settings.model.api_key == "none"
    assert got.settings.model.api_base == "http://127.0.0.1:1234/v1"


def test_a_dotenv_beside_strangers_files_cannot_lead_a_key_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "paid")
    monkeypatch.setenv("ZERO_ONE_MODEL", "gpt-5")
    Path(".env").write_text("OPENAI_BASE_URL=https://evil.example/v1\n")
    got = resolve()
    assert got.settings.model.api_base is None
    assert any("is ignored" in warning and "paid" not in warning for warning in got.warnings)
    Path(".env").write_text("ZERO_ONE_MODEL_API_BASE=https://evil.example/v1\n")
    assert resolve().settings.model.api_base is None
    Path(".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:8000/v1\n")
    assert resolve().settings.model.api_base == "http://127.0.0.1:8000/v1"
    monkeypatch.delenv("OPENAI_API_KEY")
    Path(".env").write_text("OPENAI_BASE_URL=https://mine.example/v1\nOPENAI_API_KEY=mine\n")
    assert resolve().settings.model.api_base == "https://mine.example/v1"


def test_references_are_looked_up_and_a_missing_one_is_told(profiles: Path) -> None:
    path = profiles / "mine.yaml"
    path.write_text("model:\n  name: ${MY_MODEL:-openai/x}\n  api_key: ${MY_KEY}\n")
    got = resolve("mine", environment=Environment({"MY_KEY": "secret"}))
    assert (got.settings.model.name, got.settings.model.api_key) == ("openai/x", "secret")
    got = resolve("mine", environment=Environment({}))
    assert got.settings.model.api_key is None
    assert got.warnings == (f"{path}:3: model.api_key: MY_KEY is not set in the environment.",)


def test_hosted_speech_engines_take_the_same_key(profiles: Path) -> None:
    (profiles / "mine.yaml").write_text("hear: {engine: openai}\nspeak: {engine: openai}\n")
    got = resolve("mine", environment=Environment({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://h/v1"})).settings
    assert (got.hear.api_key, got.speak.api_key, got.hear.api_base) == ("k", "k", "http://h/v1")


def test_the_profile_can_be_named_in_the_environment() -> None:
    got = resolve(environment=Environment({"ZERO_ONE_PROFILE": "fast"}))
    assert got.profile == "fast"
    assert resolve("offline", environment=Environment({"ZERO_ONE_PROFILE": "fast"})).profile == "offline"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "::1", "[::1]", "LOCALHOST"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.2", "", "localhost.evil.example", "127.0.0.1.evil", "2130706433"]
)
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_loopback_addresses() -> None:
    assert is_loopback_url("ws://[::1]:10101/")
    assert is_loopback_url("localhost:10101")
    assert not is_loopback_url("http://127.0.0.1@evil.example/")


def test_providers_of_names() -> None:
    assert provider_of(None) is None
    assert provider_of("my-own") is None
    found = provider_of("ollama_chat/llama3")
    assert found is not None
    assert found.local
