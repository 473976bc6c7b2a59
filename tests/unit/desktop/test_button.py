"""The talk button in virtual time: debounce, grace, hold, tap, gestures."""

from __future__ import annotations

import random

from zero_one_desktop.button import Begin, Button, Cancel, End, Meaning, Taps


def play(button: Button, *edges: tuple[float, str], until: float = 10_000) -> list[tuple[float, Meaning]]:
    """Press and release at the given times; ``tick`` comes at each deadline, as the client's timer does it."""
    out: list[tuple[float, Meaning]] = []
    for at, edge in [*edges, (until, "")]:
        while (deadline := button.deadline) is not None and deadline <= at:
            out += [(deadline, meaning) for meaning in button.tick(deadline)]
        if edge:
            out += [(at, meaning) for meaning in getattr(button, edge)(at)]
    return out


def test_hold_to_talk() -> None:
    assert play(Button(), (100, "down"), (1_100, "up")) == [(130, Begin(30)), (1_150, End(50))]


def test_a_bounce_shorter_than_the_debounce_is_no_press() -> None:
    assert play(Button(), (100, "down"), (129, "up")) == []


def test_a_slip_shorter_than_the_grace_does_not_end_the_utterance() -> None:
    edges = ((100, "down"), (500, "up"), (549, "down"), (1_500, "up"))
    assert play(Button(), *edges) == [(130, Begin(30)), (1_550, End(50))]


def test_auto_repeat_as_x11_sends_it_is_one_press() -> None:
    edges = [(0.0, "down")]
    for at in range(500, 2_000, 33):
        edges += [(at, "up"), (at, "down")]
    edges.append((2_000, "up"))
    assert play(Button(), *edges) == [(30, Begin(30)), (2_050, End(50))]


def test_repeated_downs_as_other_systems_send_them_are_one_press() -> None:
    edges = [(at, "down") for at in range(0, 1_000, 33)] + [(1_000, "up")]
    assert [meaning for _, meaning in play(Button(), *edges)] == [Begin(30), End(50)]


def test_debounce_and_grace_can_be_longer_for_those_who_need_it() -> None:
    button = Button(debounce_ms=300, grace_ms=800)
    edges = ((0, "down"), (200, "up"), (1_000, "down"), (2_000, "up"), (2_700, "down"), (4_000, "up"))
    assert play(button, *edges) == [(1_300, Begin(300)), (4_800, End(800))]


def test_tap_to_begin_and_tap_to_end() -> None:
    edges = ((0, "down"), (80, "up"), (3_000, "down"), (3_100, "up"))
    assert play(Button("tap"), *edges) == [(30, Begin(30)), (3_030, End(30))]


def test_short_presses_are_gestures_and_no_utterances() -> None:
    once = play(Button(), (0, "down"), (100, "up"))
    assert once == [(30, Begin(30)), (150, Cancel()), (450, Taps(1))]
    twice = play(Button(), (0, "down"), (100, "up"), (250, "down"), (350, "up"))
    assert [meaning for _, meaning in twice] == [Begin(30), Cancel(), Begin(30), Cancel(), Taps(2)]
    thrice = play(Button(), *((at + d, e) for at in (0, 250, 500) for d, e in ((0, "down"), (100, "up"))))
    assert thrice[-1][1] == Taps(3)


def test_a_tap_that_becomes_speech_is_no_gesture() -> None:
    meanings = [meaning for _, meaning in play(Button(), (0, "down"), (100, "up"), (250, "down"), (2_000, "up"))]
    assert meanings == [Begin(30), Cancel(), Begin(30), End(50)]


def test_a_toggle_command_begins_and_ends() -> None:
    button = Button()
    assert button.toggle(0) == [Begin()]
    assert button.talking
    assert button.toggle(900) == [End()]


def test_whatever_the_fingers_do_begins_and_ends_alternate() -> None:
    """Ten thousand random edges: never two Begins without an end between, never an end without a Begin."""
    for mode in ("hold", "tap"):
        rng, button, now, talking = random.Random(7), Button(mode), 0.0, False
        edges = []
        for _ in range(10_000):
            now += rng.choice([1, 5, 20, 40, 60, 300, 2_000])
            edges.append((now, rng.choice(["down", "up"])))
        for _, meaning in play(button, *edges, until=now + 10_000):
            if isinstance(meaning, Begin):
                assert not talking
                talking = True
            elif isinstance(meaning, End | Cancel):
                assert talking
                talking = False
