"""Opening and finding."""

from __future__ import annotations

from pathlib import Path

from zero_one.commands import phrases
from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command


@command("open.app")
async def open_app(ask: Ask) -> Reply:
    name = await ask.desk.hands.call("opener.app", name=ask.slots["app"])
    return Reply(f"Opened {name}.")


@command("open.folder")
async def open_folder(ask: Ask) -> Reply:
    path = await ask.desk.hands.call("opener.folder", path=ask.slots["folder"])
    return Reply(f"Opened {Path(path).name}.", show=path)


@command("open.site")
async def open_site(ask: Ask) -> Reply:
    url = await ask.desk.hands.call("opener.url", address=ask.slots["url"])
    return Reply(f"Opened {url.split('//')[-1].removeprefix('www.')}.", show=url)


@command("open.file")
async def open_file(ask: Ask) -> Reply:
    path = await ask.desk.hands.call("opener.file", path=ask.slots["file"])
    return Reply(f"Opened {Path(path).name}.", show=path)


@command("find.file")
async def find(ask: Ask) -> Reply:
    name = ask.slots["file"]
    found = await ask.desk.hands.call("files.find", name=name)
    if not found:
        return Reply(f"I found no file called {name}.")
    first = found[0]
    place = Path(first["path"]).parent
    say = f"{first['name']} is in {place.name or 'the top folder'}"
    if len(found) > 1:
        say += f", and there {'is 1 more' if len(found) == 2 else f'are {len(found) - 1} more'}"
    return Reply(say + ".", show="\n".join(item["path"] for item in found))


@command("files.list")
async def list_files(ask: Ask) -> Reply:
    items = await ask.desk.hands.call("files.list", path=ask.slots["folder"])
    folder = Path(ask.slots["folder"]).name
    names = [item["name"] for item in items]
    if not names:
        return Reply(f"{folder} is empty.")
    some = phrases.listed(names) if len(names) <= 5 else ", ".join(names[:5]) + " and more"
    return Reply(f"{phrases.some(len(names), 'item')} in {folder}: {some}.", show="\n".join(names))
