"""An interpreter with a real terminal, real litellm and a scripted model behind real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from support.scripted_model import ScriptedModel
from zero_one.computer.hands import Hands
from zero_one.computer.terminal import Terminal
from zero_one.config.settings import ApprovalSettings, CapSettings, ModelSettings, Settings
from zero_one.interpreter.history import History
from zero_one.interpreter.loop import ModelInterpreter
from zero_one.interpreter.model import LiteLlm, Patience
from zero_one.safety.rules import Rules
from zero_one.safety.trust import open_trust

QUICK = Patience(connect_s=30.0, tries=3, first_pause_s=0.01, longest_pause_s=0.05)

Open = Callable[..., ModelInterpreter]


class Boxed(Terminal):
    """A terminal that counts as sandboxed on every machine: what is proved here is what is asked, not the sandbox."""

    sandboxed = True


@pytest.fixture(scope="session")
def hands() -> Hands:
    return Hands()


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    return Rules(tmp_path / "trust" / "rules.json")


@pytest.fixture
async def interpreter(tmp_path: Path, hands: Hands, rules: Rules) -> AsyncIterator[Open]:
    """``interpreter(model_or_url, caps={...}, approval={…}, history=…, **model settings)``; closed at the end."""
    opened: list[ModelInterpreter] = []
    trust = open_trust(tmp_path / "trust")

    def make(
        model: ScriptedModel | str,
        *,
        caps: dict[str, Any] | None = None,
        history: History | None = None,
        multimodal: bool = False,
        approval: dict[str, Any] | None = None,
        **own: Any,
    ) -> ModelInterpreter:
        url = model if isinstance(model, str) else model.url
        own = {"name": "scripted", "api_base": url, "timeout_s": 60.0, "context_window": 16000} | own
        settings = Settings(
            model=ModelSettings(**own),
            caps=CapSettings(**(caps or {})),
            approval=ApprovalSettings(**(approval or {})),
            multimodal=multimodal,
        )
        terminal = Boxed(tmp_path / f"work{len(opened)}", hands)
        history = history if history is not None else History(tmp_path / f"conversation{len(opened)}.jsonl")
        model_ = LiteLlm(settings.model, QUICK)
        opened.append(ModelInterpreter(model_, terminal, hands, history, settings, witness=trust, rules=rules))
        return opened[-1]

    yield make
    for one in opened:
        await one.close()
    await trust.close()
