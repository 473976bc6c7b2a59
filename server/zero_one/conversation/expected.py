"""What is likely said while a question is open, for a recogniser that listens for a grammar instead of for anything.

The words of a challenge are all in it, not only the right ones: who says others must be heard to say others.
"""

from __future__ import annotations

from functools import cache

from zero_one.conversation.challenge import SPOKEN_DIGITS, WORDS


@cache
def answers(challenged: bool) -> str:
    """JSGF of the answers; with ``challenged`` the words of a challenge too."""
    rules = ["<no>", "<yes>", "<stop>"] + (["<words>"] if challenged else [])
    lines = [
        "#JSGF V1.0;",
        "grammar answers;",
        "<yes> = (yes | yeah | sure | okay | go ahead | do it | of course | yes always | always) "
        "[please | do it | go ahead | yes];",
        "<no> = (no | nope | no thanks | no thank you | don't do it | don't | never mind | not now | wait) [no];",
        "<stop> = stop [it | everything | now] | cancel;",
    ]
    if challenged:
        lines += [f"<word> = {' | '.join(WORDS)};", f"<words> = <word> <word> ({' | '.join(SPOKEN_DIGITS)});"]
    return "\n".join([*lines, f"public <answer> = {' | '.join(rules)};", ""])
