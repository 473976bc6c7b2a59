"""Images: the user's and the computer's reach models that see, and are described to those that do not."""

from __future__ import annotations

import base64
import io

from PIL import Image

from support.scripted_model import ScriptedModel, fails, runs, says
from support.talking import Approver, all_of, errors, paired, spoken, user, well_formed
from zero_one.protocol.lmc import Message


def png(colour: str = "red", side: int = 4) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(out, "PNG")
    return out.getvalue()


def given(data: bytes, form: str = "base64.png") -> Message:
    return Message("user", "image", form, base64.b64encode(data).decode())


def pictures(chat) -> list[str]:
    parts = [part for message in chat if isinstance(message.get("content"), list) for part in message["content"]]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


async def test_a_users_image_reaches_a_model_that_sees(interpreter):
    with ScriptedModel(says("It is red.")) as model:
        home = interpreter(model, supports_vision=True)
        messages = await all_of(home.respond(user("what colour?"), Approver(), images=(given(png()),)))
        assert spoken(messages) == ["It is red."]
        content = model.requests[0].messages[-1]["content"]
        assert content[0] == {"type": "text", "text": "what colour?"}
        assert pictures(model.requests[0].messages) == ["data:image/png;base64," + base64.b64encode(png()).decode()]


async def test_an_image_by_path_is_read_and_only_if_it_is_one(interpreter, tmp_path):
    (tmp_path / "a.png").write_bytes(png("blue"))
    (tmp_path / "id_rsa").write_text("PRIVATE KEY")
    images = tuple(Message("user", "image", "path", str(tmp_path / name)) for name in ("a.png", "id_rsa", "missing"))
    with ScriptedModel(says("Blue.")) as model:
        home = interpreter(model, supports_vision=True)
        await all_of(home.respond(user("look"), Approver(), images=images))
        assert len(pictures(model.requests[0].messages)) == 1
        said = str(model.requests[0].messages)
        assert "PRIVATE" not in said
        assert "not a picture" in said
        assert "could not be read" in said


async def test_a_model_that_does_not_see_is_told_of_the_image(interpreter):
    with ScriptedModel(says("I can't see it.")) as model:
        await all_of(interpreter(model).respond(user("what colour?"), Approver(), images=(given(png()),)))
        assert not pictures(model.requests[0].messages)
        assert "you cannot see images" in model.requests[0].messages[-1]["content"]


async def test_an_endpoint_that_turns_out_not_to_see_is_asked_again_without(interpreter):
    blind = fails(400, "image_url is only supported by certain models")
    with ScriptedModel(blind, says("I can't see it.")) as model:
        home = interpreter(model, supports_vision=True)
        messages = await all_of(home.respond(user("what colour?"), Approver(), images=(given(png()),)))
        assert not errors(messages)
        assert not pictures(model.requests[1].messages)


async def test_an_image_from_code_is_shown_and_follows_its_result(interpreter):
    code = (
        "from IPython.display import Image, display\nimport base64\n"
        f"display(Image(data=base64.b64decode('{base64.b64encode(png('green')).decode()}')))"
    )
    with ScriptedModel(runs(code), says("It is green.")) as model:
        home = interpreter(model, supports_vision=True)
        messages = await all_of(home.respond(user("draw"), Approver()))
        well_formed(messages)
        assert [m.format for m in messages if m.type == "image" and m.content] == ["base64.png"]
        chat = model.requests[1].messages
        paired(chat)
        assert [m["role"] for m in chat[-2:]] == ["tool", "user"]
        assert len(pictures(chat)) == 1


async def test_a_large_image_is_made_smaller(interpreter):
    noise = io.BytesIO()
    Image.effect_noise((2400, 1800), 90).save(noise, "PNG")
    assert len(noise.getvalue()) > 1024 * 1024
    with ScriptedModel(says("Noise.")) as model:
        home = interpreter(model, supports_vision=True)
        await all_of(home.respond(user("look"), Approver(), images=(given(noise.getvalue()),)))
        [url] = pictures(model.requests[0].messages)
        with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as sent:
            assert sent.size == (1568, 1176)


async def test_garbage_as_image_does_not_spoil_the_conversation(interpreter):
    with ScriptedModel(says("What image?")) as model:
        home = interpreter(model, supports_vision=True)
        await all_of(home.respond(user("look"), Approver(), images=(Message("user", "image", "base64.png", "!!"),)))
        assert "not a picture" in str(model.requests[0].messages[-1]["content"])
