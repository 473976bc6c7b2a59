"""Taking back what was done to files, and forgetting what was said."""

from __future__ import annotations

import os
from datetime import datetime

from zero_one.commands import phrases
from zero_one.commands.base import Proposal, Reply
from zero_one.commands.desk import Ask, command
from zero_one.commands.keyless import NO_KEY
from zero_one.commands.past import Forgotten
from zero_one.safety.records import Record
from zero_one.safety.restore import Undone

NOT_FILES = "Mails that were sent, programs that were started and things bought can't be taken back."
_SPOKEN = 3


@command("undo.last")
async def undo(ask: Ask) -> Reply:
    if ask.desk.past.busy(ask.device):
        return Reply("It is still running. Say stop, and then undo that.", failed=True)
    steps = min(int(ask.slots.get("count", 1)), 20)
    done: list[Undone] = []
    for step in range(steps):
        further = steps > 1 or step > 0 or bool(ask.slots.get("further"))
        undone = await ask.desk.past.undo(ask.device, by=ask.device, further=further)
        if undone is None:
            break
        done.append(undone)
    if not done:
        return await _nothing(ask)
    said = " ".join(map(outcome, done)) if len(done) < 3 else outcome(_together(done))
    if len(done) < steps:
        said += f" There was nothing more of yours to undo after {phrases.some(len(done), 'step')}."
    return Reply(said, show=shown(done), failed=any(u.failed for u in done))


async def _nothing(ask: Ask) -> Reply:
    others = [r for r in await ask.desk.past.records() if r.device != ask.device]
    if not others:
        return Reply(f"There is nothing of yours to undo. {NOT_FILES}", failed=True)
    what = f"The last change, {quoted(others[0].label)}, was asked for by another device."
    if not ask.caller.may("administer"):
        return Reply(f"There is nothing of yours to undo. {what} Undo it there, or with: 01 undo.", failed=True)
    if ask.caller.keyless:
        return Reply(NO_KEY, failed=True)
    question = f"There is nothing of yours to undo. {what} Undo that one?"
    return Reply("", asks=Proposal(question, f"01 undo {others[0].number}", lambda: _undo_of_another(ask, others[0])))


async def _undo_of_another(ask: Ask, meant: Record) -> Reply:
    """Agreed to: this change, and none that came after it."""
    newest = next((r for r in await ask.desk.past.records() if r.device != ask.device), None)
    if newest is None or newest.number != meant.number or ask.desk.past.busy(meant.device):
        return Reply("More was changed there in the meantime, so I have undone nothing. Ask me again.", failed=True)
    undone = await ask.desk.past.undo(meant.device, by=ask.device)
    if undone is None:
        return Reply("That is undone already.", failed=True)
    return Reply(outcome(undone), show=shown([undone]), failed=bool(undone.failed))


@command("undo.again")
async def redo(ask: Ask) -> Reply:
    undone = await ask.desk.past.redo(ask.device, by=ask.device)
    if undone is None:
        return Reply("Nothing of yours was undone just now.", failed=True)
    return Reply(f"Done again. {outcome(undone)}", show=shown([undone]), failed=bool(undone.failed))


@command("undo.list")
async def listed(ask: Ask) -> Reply:
    mine = [r for r in await ask.desk.past.records() if r.device == ask.device and not r.undoes]
    if not mine:
        return Reply(f"There is nothing of yours to undo. {NOT_FILES}")
    turns = list(dict.fromkeys(r.turn for r in mine))
    newest = [r for r in mine if r.turn == turns[0]]
    said = f"Undo would take back {quoted(newest[-1].label)}: {'; '.join(r.summary() for r in newest)}."
    if len(turns) > 1:
        said += f" Before that there {'is' if len(turns) == 2 else 'are'} {len(turns) - 1} more."
    return Reply(said, show="\n".join(f"{r.label}: {r.summary()}" for r in mine))


@command("forget.time")
async def forget(ask: Ask) -> Reply:
    now = ask.desk.clock.now().timestamp()
    if ask.slots.get("last"):
        since, words = await ask.desk.past.last_said(ask.device), "what you just said"
        if since is None:
            return Reply("You had said nothing before that.", failed=True)
    else:
        since, words = _epoch(ask, "since"), str(ask.slots["words"])
    until = _epoch(ask, "until") if "until" in ask.slots else now
    gone = await ask.desk.past.forget(ask.device, since, until, by=ask.device)
    return _forgot(gone, words)


@command("forget.all")
async def forget_all(ask: Ask) -> Reply:
    gone = await ask.desk.past.forget(ask.device, 0.0, ask.desk.clock.now().timestamp(), by=ask.device)
    return _forgot(gone, "this conversation")


def _epoch(ask: Ask, slot: str) -> float:
    return ask.desk.clock.local(datetime.fromisoformat(ask.slots[slot])).timestamp()


def _forgot(gone: Forgotten, words: str) -> Reply:
    trouble = f" But this could not be removed: {'; '.join(gone.problems)}." if gone.problems else ""
    if not gone.anything:
        return Reply(f"I remember nothing of {_of(words)}.{trouble}", failed=bool(trouble))
    counts = {
        "message": gone.messages,
        "recording": gone.recordings,
        "kept change": gone.copies,
    }
    parts = [phrases.some(count, what) for what, count in counts.items() if count]
    if gone.entries:
        parts.append(f"{phrases.some(gone.entries, 'line')} of the audit log")
    said = phrases.listed(parts)
    return Reply(f"I forgot {words}: {said}.{trouble}", failed=bool(trouble))


def _of(words: str) -> str:
    return words.removeprefix("everything ")


# --- in words, for the command line too


def outcome(undone: Undone) -> str:
    """What was put back and taken away, and what could not be undone."""
    parts = []
    if undone.restored:
        parts.append(f"I put back {_named(undone.restored)}.")
    if undone.removed:
        parts.append(f"I took away {_named(undone.removed)}, which had been made.")
    if not parts and not undone.failed:
        parts.append("The files were as they had been already.")
    if undone.overwrote:
        verb = "has" if len(undone.overwrote) == 1 else "have"
        parts.append(
            f"{_named(undone.overwrote)} {verb} been changed since; that version is kept. Say “redo that” to have it."
        )
    if undone.failed:
        reasons = [f"{_base(name)}, {reason}" for name, _, reason in (f.rpartition(": ") for f in undone.failed)]
        more = f", and {len(reasons) - _SPOKEN} more" if len(reasons) > _SPOKEN else ""
        parts.append(f"This could not be undone: {'; '.join(reasons[:_SPOKEN])}{more}.")
    return " ".join(parts)


def shown(done: list[Undone]) -> str:
    lines = []
    for undone in done:
        lines.append(f"Undone: {undone.label}")
        lines += [f"  put back    {path}" for path in undone.restored]
        lines += [f"  taken away  {path}" for path in undone.removed]
        lines += [f"  was changed since (kept)  {path}" for path in undone.overwrote]
        lines += [f"  NOT undone  {path}" for path in undone.failed]
    return "\n".join(lines)


def quoted(label: str) -> str:
    return f"“{label}”" if label else "the last change"


def _named(paths: tuple[str, ...]) -> str:
    names = list(dict.fromkeys(_base(path) for path in paths))
    if len(names) > _SPOKEN:
        return f"{len(paths)} files and folders"
    return phrases.listed(names)


def _base(path: str) -> str:
    name = os.path.basename(path.rstrip(os.sep)) or path
    return "".join(c if c.isprintable() else "?" for c in name)


def _together(done: list[Undone]) -> Undone:
    return Undone(
        tuple(p for u in done for p in u.restored),
        tuple(p for u in done for p in u.removed),
        tuple(p for u in done for p in u.overwrote),
        tuple(p for u in done for p in u.failed),
    )
