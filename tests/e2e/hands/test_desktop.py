"""The hands act on real windows of another process; what happened is asked of that process or of X itself."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from e2e.hands.outside import Window, copied, said_by, wait_for
from support.needs import need
from zero_one.computer.hands import Hands, HandsError
from zero_one.computer.terminal import Terminal

Open = Callable[[str], Window]
RED = (0xC8, 0x1E, 0x28)


async def _middle(hands: Hands, title: str) -> tuple[int, int]:
    """A point in the red field of a window."""
    shown = next(one for one in await hands.call("windows.list") if one["title"] == title)
    return shown["x"] + shown["width"] // 2, shown["y"] + shown["height"] * 3 // 4


async def test_a_click_lands_where_it_was_aimed(hands: Hands, window: Open) -> None:
    target = window("Target")
    x, y = await _middle(hands, "Target")
    await hands.call("mouse.click", x=x, y=y)
    target.saw(f"left {x},{y}")
    await hands.call("mouse.click", x=x + 5, y=y + 5, button="right")
    target.saw(f"right {x + 5},{y + 5}")
    assert await hands.call("mouse.position") == {"x": x + 5, "y": y + 5}
    assert f"x:{x + 5} y:{y + 5}" in await said_by("xdotool", "getmouselocation")


async def test_double_click_drag_and_wheel_are_felt(hands: Hands, window: Open) -> None:
    target = window("Target")
    x, y = await _middle(hands, "Target")
    await hands.call("mouse.double", x=x, y=y)
    target.saw("double")
    await hands.call("mouse.drag", from_x=x, from_y=y, to_x=x + 40, to_y=y - 20)
    target.saw(f"release {x + 40},{y - 20}")
    assert any(event.startswith("drag") for event in target.events())
    await hands.call("mouse.scroll", down=1)
    target.saw("wheel down")
    await hands.call("mouse.scroll", down=-1)
    target.saw("wheel up")


async def test_a_click_outside_the_screen_is_refused(hands: Hands, desktop: str) -> None:
    with pytest.raises(HandsError, match="could not be moved"):
        await hands.call("mouse.click", x=5000, y=20)


@pytest.mark.parametrize("text", ["Hello, World! {x} ~/a_b", "Grüße, señor ñandú, naïve – “ok” € Ж"])
async def test_typed_text_arrives_in_the_focused_window(hands: Hands, window: Open, text: str) -> None:
    target = window("Target")
    await hands.call("windows.focus", window="target")
    await hands.call("keyboard.type", text=text)
    target.saw(f"text {text}")


async def test_keys_and_key_combinations_arrive(hands: Hands, window: Open) -> None:
    target = window("Target")
    await hands.call("windows.focus", window="target")
    await hands.call("keyboard.hotkey", keys="ctrl+s")
    target.saw("control s")
    await hands.call("keyboard.press", key="Escape")
    target.saw("escape")
    await hands.call("keyboard.type", text="ab\n")
    target.saw("return")
    await hands.call("keyboard.press", key="backspace", times=2)
    target.saw("text ")
    with pytest.raises(HandsError, match="no key called anykey"):
        await hands.call("keyboard.press", key="anykey")


async def test_a_screenshot_shows_what_is_on_the_screen(hands: Hands, window: Open, tmp_path: Path) -> None:
    window("Target")
    x, y = await _middle(hands, "Target")
    shot = await hands.call("display.screenshot")
    image = Image.open(io.BytesIO(base64.b64decode(shot["png"])))
    assert (image.width, image.height) == (shot["width"], shot["height"]) == (1000, 700)
    assert image.getpixel((x, y)) == RED
    saved = Path(shot["path"])
    assert saved.parent == tmp_path / "home" / "Pictures"
    assert Image.open(saved).tobytes() == image.tobytes()
    part = await hands.call("display.screenshot", region=[x - 10, y - 10, 20, 20], path=str(tmp_path / "part"))
    assert Path(part["path"]) == tmp_path / "part.png"
    assert Image.open(part["path"]).getcolors() == [(400, RED)]
    small = await hands.call("display.screenshot", max_width=500, save=False)
    assert (small["width"], small["scale"], small["path"]) == (500, 2.0, "")
    assert await hands.call("display.size") == {"width": 1000, "height": 700}
    with pytest.raises(HandsError, match="not on the screen"):
        await hands.call("display.screenshot", region=[2000, 0, 10, 10])


async def test_windows_are_listed_focused_minimized_maximized_and_closed(hands: Hands, window: Open) -> None:
    first, second = window("First page"), window("Second page")
    listed = {one["title"]: one for one in await hands.call("windows.list")}
    assert {"First page", "Second page"} <= listed.keys()
    assert listed["First page"]["app"] == "First"
    for title in ("First page", "Second page", "First page"):
        await hands.call("windows.focus", window=title.lower())
        active = await hands.call("windows.active")
        assert active["title"] == title
        assert await said_by("xdotool", "getactivewindow", "getwindowname") == f"{title}\n"
    await hands.call("windows.minimize", window="second")
    assert next(one for one in await hands.call("windows.list") if one["title"] == "Second page")["minimized"]
    await hands.call("windows.maximize", window="first page window")
    wide = next(one for one in await hands.call("windows.list") if one["title"] == "First page")
    assert wide["width"] >= 990
    closed = await hands.call("windows.close", window=listed["First page"]["id"])
    assert closed["title"] == "First page"
    wait_for(lambda: not first.open)
    assert second.open
    with pytest.raises(HandsError, match="no window like"):
        await hands.call("windows.focus", window="spreadsheet of doom")


@pytest.mark.parametrize("text", ["plain", "two\nlines\n", "ünï – 漢字 🎈", "x" * 300_000, "$(rm -rf /) `ls` \\"])
async def test_the_clipboard_goes_round(hands: Hands, desktop: str, text: str) -> None:
    need("xclip")
    await hands.call("clipboard.copy", text=text)
    assert await said_by("xclip", "-selection", "clipboard", "-out") == text
    assert await hands.call("clipboard.view") == text


async def test_what_another_program_copied_is_seen(hands: Hands, desktop: str) -> None:
    need("xclip")
    await copied("from elsewhere")
    assert await hands.call("clipboard.view") == "from elsewhere"


async def test_code_in_a_kernel_sees_the_screen_and_acts_on_a_window(
    hands: Hands, window: Open, tmp_path: Path
) -> None:
    target = window("Target")
    terminal = Terminal(tmp_path / "conversation", hands)
    code = """
target = computer.windows.focus("target")
x, y = target["x"] + target["width"] // 2, target["y"] + target["height"] * 3 // 4
computer.mouse.click(x, y)
computer.keyboard.type("from the kernel")
shot = computer.display.view()
print(x, y, shot.image().getpixel((x, y)))
shot
"""
    try:
        pieces = [piece async for piece in terminal.run("python", code, timeout_s=100)]
    finally:
        await terminal.close()
    *printed, image, _ = pieces
    assert [piece.kind for piece in pieces] == ["output"] * len(printed) + ["image", "exit"], pieces
    x, y, colour = "".join(piece.content for piece in printed).split(maxsplit=2)
    assert colour.strip() == str(RED)
    assert Image.open(io.BytesIO(base64.b64decode(image.content))).size == (1000, 700)
    target.saw(f"left {x},{y}")
    target.saw("text from the kernel")
    assert not (Path.home() / "Pictures").exists()
