"""Stop, cancel, repeat, help and manners."""

from __future__ import annotations

from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command


@command("talk.stop")
async def stop(ask: Ask) -> Reply:
    return Reply("", show="Stopped.", effect="stop")


@command("talk.cancel")
async def cancel(ask: Ask) -> Reply:
    return Reply("Okay.", effect="cancel")


@command("talk.repeat")
async def repeat(ask: Ask) -> Reply:
    return Reply("", show="Again.", effect="repeat")


@command("talk.help")
async def help_(ask: Ask) -> Reply:
    infos = ask.desk.infos()
    areas = dict.fromkeys(info.area for info in infos)
    show = "\n".join(f"{area}: " + "; ".join(info.examples[0] for info in infos if info.area == area) for area in areas)
    some = [next(info.examples[0] for info in infos if info.area == area) for area in list(areas)[:5]]
    say = "You can say, for example: " + "; ".join(some) + ". All commands are listed by: 01 commands."
    return Reply(say, show=show)


@command("talk.hello")
async def hello(ask: Ask) -> Reply:
    hour = ask.desk.clock.now().hour
    part = "Good morning" if 4 <= hour < 12 else "Good afternoon" if 12 <= hour < 18 else "Good evening"
    return Reply(f"{part}. What can I do for you?")


@command("talk.thanks")
async def thanks(ask: Ask) -> Reply:
    return Reply("You're welcome.")


@command("talk.who")
async def who(ask: Ask) -> Reply:
    return Reply("I am 01, the voice of your own computer.")
