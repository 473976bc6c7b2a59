"""Notes and to-dos."""

from __future__ import annotations

from typing import Any

from zero_one.commands import phrases
from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command

_SPOKEN = 5


@command("note.add")
async def add_note(ask: Ask) -> Reply:
    ask.desk.notes.items.append({"text": ask.slots["text"], "at": ask.desk.clock.now().isoformat(timespec="seconds")})
    await ask.desk.notes.save()
    return Reply(f"Noted: {ask.slots['text']}.")


@command("note.read")
async def read_notes(ask: Ask) -> Reply:
    texts = [note["text"] for note in ask.desk.notes.items]
    if not texts:
        return Reply("There are no notes.")
    newest = texts[::-1][:_SPOKEN]
    return Reply(f"{phrases.some(len(texts), 'note')}: {'; '.join(newest)}.", show="\n".join(texts))


@command("note.delete")
async def delete_note(ask: Ask) -> Reply:
    if not ask.desk.notes.items:
        return Reply("There are no notes.", failed=True)
    gone = ask.desk.notes.items.pop()
    await ask.desk.notes.save()
    return Reply(f"Deleted the note: {gone['text']}.")


def _open(ask: Ask) -> list[dict[str, Any]]:
    return [item for item in ask.desk.todo.items if not item["done"]]


@command("todo.add")
async def add(ask: Ask) -> Reply:
    ask.desk.todo.items.append({"text": ask.slots["text"], "done": False})
    await ask.desk.todo.save()
    return Reply(f"Added {ask.slots['text']}.")


@command("todo.read")
async def read(ask: Ask) -> Reply:
    texts = [item["text"] for item in _open(ask)]
    if not texts:
        return Reply("Your list is empty.")
    more = f", and {len(texts) - _SPOKEN} more" if len(texts) > _SPOKEN else ""
    said = phrases.listed(texts) if not more else ", ".join(texts[:_SPOKEN]) + more
    return Reply(f"{phrases.some(len(texts), 'thing')} to do: {said}.", show="\n".join(texts))


@command("todo.done")
async def done(ask: Ask) -> Reply:
    items = _open(ask)
    position = ask.slots.get("position")
    if position is not None:
        if not items or position > len(items):
            return Reply(f"There are {phrases.some(len(items), 'thing')} on your list.", failed=True)
        item = items[position if position < 0 else position - 1]
    else:
        text = ask.slots["text"].lower().removeprefix("the ").removeprefix("my ")
        fitting = [item for item in items if text in item["text"].lower() or item["text"].lower() in text]
        if not fitting:
            return Reply(f"{ask.slots['text']} is not on your list.", failed=True)
        item = fitting[0]
    item["done"] = True
    await ask.desk.todo.save()
    return Reply(f"Done: {item['text']}. {phrases.some(len(_open(ask)), 'thing')} left.")


@command("todo.clear")
async def clear(ask: Ask) -> Reply:
    count = len(_open(ask))
    for item in ask.desk.todo.items:
        item["done"] = True
    await ask.desk.todo.save()
    return Reply(f"Your list is empty now; {phrases.some(count, 'thing')} ticked off." if count else "It was empty.")
