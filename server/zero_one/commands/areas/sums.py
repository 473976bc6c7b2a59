"""Numbers and words."""

from __future__ import annotations

import secrets

from zero_one.commands import phrases
from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command
from zero_one.commands.units import plural


@command("sum.work_out")
async def work_out(ask: Ask) -> Reply:
    result = ask.slots["result"]
    if result != result:
        return Reply("Nothing can be divided by zero.", failed=True)
    said = phrases.number(result)
    return Reply(f"{said}.", show=f"{ask.slots['expression']} = {said}")


@command("sum.convert")
async def convert(ask: Ask) -> Reply:
    value, result = ask.slots["value"], ask.slots["result"]
    left = f"{phrases.number(value)} {plural(ask.slots['from'], value)}"
    return Reply(f"{left} {'is' if value == 1 else 'are'} {phrases.number(result)} {plural(ask.slots['to'], result)}.")


@command("chance.coin")
async def coin(ask: Ask) -> Reply:
    return Reply(secrets.choice(("Heads.", "Tails.")))


@command("chance.dice")
async def dice(ask: Ask) -> Reply:
    rolls = [secrets.randbelow(ask.slots.get("sides", 6)) + 1 for _ in range(ask.slots.get("count", 1))]
    said = phrases.listed([str(roll) for roll in rolls])
    return Reply(f"{said}." if len(rolls) == 1 else f"{said}, {sum(rolls)} together.")


@command("chance.number")
async def number(ask: Ask) -> Reply:
    low, high = ask.slots.get("low", 1), ask.slots.get("high", 100)
    return Reply(f"{low + secrets.randbelow(high - low + 1)}.")


@command("words.spell")
async def spell(ask: Ask) -> Reply:
    word = ask.slots["word"]
    return Reply(f"{word}: {', '.join(letter.upper() for letter in word if letter.isalpha())}.")
