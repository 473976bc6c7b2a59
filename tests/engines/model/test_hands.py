"""The hands of ``computer``: as tools, in the kernel, with and without a question."""

from __future__ import annotations

import base64
import io
import types
from collections.abc import Iterator

import pytest
from PIL import Image

from support.scripted_model import ScriptedModel, calls, runs, says
from support.talking import Approver, all_of, codes, paired, printed, spoken, user, well_formed
from zero_one.computer.hands import Hands, HandsError
from zero_one.computer.method import method
from zero_one.interpreter.base import Decision


def png() -> str:
    out = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


@pytest.fixture
def poked() -> list[str]:
    return []


@pytest.fixture
def hands(poked) -> Iterator[Hands]:
    """Hands with a module of our own that needs no screen."""

    @method("change")
    def poke(what: str) -> str:
        """Poke something."""
        poked.append(what)
        return f"poked {what}"

    @method("observe")
    def picture() -> dict[str, object]:
        """Take a picture."""
        return {"png": png(), "width": 2}

    @method("change")
    def fail() -> None:
        """Fail."""
        raise HandsError("There is no screen.", "Start one.")

    module = types.ModuleType("somewhere.probe")
    for function in (poke, picture, fail):
        function.__module__ = module.__name__
        setattr(module, function.__name__, function)
    hands = Hands()
    hands.add(module)
    return hands


async def test_a_hand_asks_acts_and_answers(interpreter, poked):
    with ScriptedModel(calls(("probe_poke", {"what": "bear"})), says("Poked.")) as model:
        approver = Approver()
        messages = await all_of(interpreter(model).respond(user("poke the bear"), approver))
        well_formed(messages)
        [question] = approver.questions
        assert question.text == "Use probe poke with what bear. Is that all right?"
        assert question.answers == ("yes", "no")
        assert codes(messages) == ["computer.probe.poke(what='bear')"]
        assert poked == ["bear"]
        assert printed(messages) == ["poked bear"]
        paired(model.requests[1].messages)


async def test_a_refused_hand_does_nothing(interpreter, poked):
    with ScriptedModel(calls(("probe_poke", {"what": "bear"})), says("All right.")) as model:
        await all_of(interpreter(model).respond(user("poke"), Approver(then=Decision(False))))
        assert not poked
        assert "no" in model.requests[1].messages[-1]["content"]


async def test_a_pure_fact_is_read_without_a_question(interpreter):
    with ScriptedModel(calls(("system_memory", {})), says("Enough.")) as model:
        approver = Approver()
        messages = await all_of(interpreter(model).respond(user("how much memory?"), approver))
        assert not approver.questions
        assert "total" in printed(messages)[0]
        assert spoken(messages) == ["Enough."]


async def test_a_picture_reaches_the_model_and_its_data_stay_out_of_the_text(interpreter):
    with ScriptedModel(calls(("probe_picture", {})), says("Red.")) as model:
        home = interpreter(model, supports_vision=True)
        messages = await all_of(home.respond(user("look"), Approver()))
        assert [m.content for m in messages if m.type == "image" and m.content] == [png()]
        *_, result, picture = model.requests[1].messages
        assert '{"width": 2}' in result["content"]
        assert picture["content"][1]["image_url"]["url"] == f"data:image/png;base64,{png()}"


async def test_a_hand_that_cannot_tells_the_model_why(interpreter):
    with ScriptedModel(calls(("probe_fail", {})), says("There is no screen.")) as model:
        messages = await all_of(interpreter(model).respond(user("try"), Approver()))
        assert "There is no screen. Start one." in model.requests[1].messages[-1]["content"]
        assert spoken(messages) == ["There is no screen."]


async def test_hands_inside_agreed_code_work_and_outside_of_it_do_not(interpreter, poked):
    with ScriptedModel(runs("computer.probe.poke('now')"), says("Done.")) as model:
        home = interpreter(model)
        await all_of(home.respond(user("poke it"), Approver()))
        assert poked == ["now"]
        with pytest.raises(HandsError, match="code that is over"):
            await home.machine.call("probe.poke", {"what": "later"})
        assert poked == ["now"]


async def test_in_a_real_kernel_what_was_not_seen_in_the_code_is_asked_about_while_it_runs(interpreter, poked):
    """The code was ruled to be looking; what it then calls in a roundabout way is news."""
    code = "import operator\nhand = operator.attrgetter('probe')(computer)\noperator.attrgetter('poke')(hand)('bear')"
    with ScriptedModel(runs(code), says("I could not.")) as model:
        home, approver = interpreter(model), Approver(then=Decision(False))
        await all_of(home.respond(user("poke it"), approver))
        assert not poked
        assert len(approver.questions) == 1


async def test_in_a_real_kernel_a_call_that_brings_foreign_text_taints_what_follows(interpreter, poked):
    peek = runs("seen = computer.probe.picture()")
    with ScriptedModel(peek, runs("print(seen)"), runs("open('n.txt', 'w').write('x')"), says("Done.")) as model:
        home, approver = interpreter(model), Approver()
        await all_of(home.respond(user("go"), approver))
        assert "a tool" in approver.questions[-1].reason
