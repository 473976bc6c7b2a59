"""Programs that read nothing of the machine they run on: what they ask for can carry nothing of it away."""

from __future__ import annotations

from tree_sitter import Node

from zero_one.safety.risk.javascript_names import walk
from zero_one.safety.risk.words import text_of

MOST_TEXTS = 60
_PURE = frozenset(
    """
    fetch JSON Math Object Array String Number Promise Date console URL URLSearchParams encodeURIComponent encodeURI
    decodeURIComponent setTimeout clearTimeout AbortSignal AbortController Map Set WeakMap Intl undefined NaN Infinity
    Error TypeError RangeError parseInt parseFloat isNaN isFinite Boolean RegExp BigInt Symbol structuredClone
    performance await
    """.split()
)
_OUTSIDE = frozenset("this super import export_statement import_statement meta_property with_statement".split())


def reads_nothing_here(root: Node, bound: set[str], defined: set[str]) -> bool:
    """Whether every name in a program is its own, or one of the language that tells nothing of this machine."""
    own = bound | defined | _PURE
    if sum(node.type in ("string", "template_string") for node in walk(root)) > MOST_TEXTS:
        return False
    for node in walk(root):
        if node.type in _OUTSIDE:
            return False
        if node.type in ("identifier", "shorthand_property_identifier") and text_of(node) not in own:
            return False
    return True


def texts_in(root: Node) -> tuple[str, ...]:
    """The texts that are written out in a program, each once."""
    found = (text_of(node) for node in walk(root) if node.type in ("string_fragment", "template_string"))
    return tuple(dict.fromkeys(text.strip("`") for text in found))[:MOST_TEXTS]
