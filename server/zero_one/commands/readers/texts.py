"""Words that are kept as they were said: notes, things to do, reminders. Here an open request would slip in, so these
readers refuse what asks, what orders a second thing, and what only a language model could write."""

from __future__ import annotations

import re

from zero_one.commands.readers.times import when
from zero_one.commands.scene import Reader, Scene, Values
from zero_one.commands.words import Word, Words, raw

# A second order inside a text: the whole is more than one command, so none of ours.
_SECOND_ORDER = re.compile(
    r"\b(?:and|then|and then|and also|after that|afterwards)\s+(?:then |also )?(?:open|set|play|mute|unmute|lock|"
    r"run|delete|plot|email|mail|send it|send them|share|post|explain|transpose|compare|describe|analyze|rewrite|"
    r"show me|tell me|turn|launch|take a screen|search|google|close|start|stop|create a|write a|read me|remind me|"
    r"install|"
    r"download|summarize|translate|print)\b"
    r"|\band then\b"
)
# What only a language model could write or do.
_MODEL_WORK = re.compile(
    r"^(?:me |us )?(?:a|an|some|another) (?:\w+ )?(?:poem|story|essay|script|function|program|song|summary|recipe|"
    r"joke|report on|"
    r"code|haiku|paragraph|article|blog|steps|instructions|lyrics|speech|class|query|regex|test|tests|website|app|"
    r"plan|tutorial|list of|letter|email|essay|comparison|summary of)\b"
    r"|\bin (?:python|javascript|typescript|java|rust|go|html|css|sql|excel|bash|latex|react|swift|kotlin|ruby|word)\b"
    r"|^the (?:steps|differences?|similarities|pros|ingredients|instructions)\b"
    r"|^(?:taking|taker|app|apps|pad|books|card|cards|manager|scheduler|scheduling|queue|runner|management)\b"
    r"|^book(?= (?:for|with|about|app|apps|paper|computer|computers|shop|idea|ideas)\b|$)"
    r"|^(?:that|which) (?:runs|prints|does|sends|reads|writes|checks|opens|uses|takes)\b"
    r"|^(?:everything|all|anything|something) (?:you|about|there|on|that)\b"
    r"|^(?:how|why|what|who|where|when) (?:\w+ )?(?:is|are|was|were|do|does|did|to|many|much|can|could|should)\b"
    r"|^in (?:the|my|our|this) \w+$"
    r"|^(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|some|a few|several|the main|the key|the best|"
    r"the top|the most) (?:\w+ )?(?:reasons?|ways?|ideas?|tips?|examples?|facts?|names?|sentences?|questions?|"
    r"arguments?|benefits?|advantages?|differences?|points?|features?|lines?|verses?|synonyms?|"
    r"words? (?:that|for|with))\b"
    r"|^(?:down )?(?:the )?(?:lyrics|differences?|similarities|irony|definition|meaning|etymology|plot|moral|text) "
    r"(?:of|between|in|to)\b"
    r"|^(?:that )?(?:the )?(?:time|day|when) (?:we|i|you|they|he|she)\b"
    r"|\b(?:what|why|how|who) (?:did|do|is|are|was|were) (?:you|it|i|we|that|this)\b"
    r"|\bthe following\b|\b(?:fix|debug|solve|rewrite) (?:it|this|that|them)\b|\band log me\b|\btemplates?$"
    r"|\bas an? (?:essay|poem|email|letter|story|list|table|report|blog post)\b"
    r"|^(?:the |a |some |your )?(?:recipes?|steps|instructions|thoughts) (?:for|to|on|about)\b|^my thoughts on\b"
    r"|^(?:of|or|and|force|forces|bar|switching|list|lists|allocation|to self)\b"
)
_ASKING = {"what", "why", "how", "who", "whose", "which", "whether", "when", "where"}
_DETERMINERS = ("the", "my", "our", "his", "her", "a", "all", "your", "their", "this", "everyone", "somebody")
_NO_DEEDS = ("the", "a", "an", "my", "our", "your", "his", "her", "how", "this", "that", "these", "those")
_TOO_LITTLE = ("it", "this", "that", "me", "to", "a", "the", "them", "one", "for", "down", "of")
_GROCERIES = frozenset(
    "milk bread eggs egg cheese butter coffee tea sugar salt pepper flour rice pasta apples apple bananas banana "
    "tomatoes tomato potatoes onions onion carrots chicken fish beef pork bacon ham sausages turkey tofu beans lentils "
    "noodles water juice wine beer soda oil garlic ginger lemons lemon limes oranges grapes strawberries cereal oats "
    "yogurt yoghurt cream honey jam ketchup mustard mayonnaise mayo vinegar spinach lettuce cucumber cucumbers "
    "mushrooms peppers avocados avocado broccoli corn peas nuts chocolate cookies crackers chips crisps soap shampoo "
    "toothpaste paper towels toilet tissues detergent batteries dishwasher tablets foil sponges nappies diapers "
    "groceries oat almond olive dish washing orange apple".split()
)
_BESIDE_GROCERIES = _GROCERIES | frozenset("and some a of the dozen two three four six couple bag pack".split())


def text(said: list[str], words: Words, scene: Scene) -> Values | None:
    """What somebody wants kept word for word."""
    whole = " ".join(said)
    if not 1 <= len(said) <= 40 or _SECOND_ORDER.search(whole) or _MODEL_WORK.search(whole):
        return None
    if said[0] == "to" and (said[1:2] == [] or said[1] in _DETERMINERS):
        return None  # a letter to somebody
    if len(said) == 1 and said[0] in _TOO_LITTLE:
        return None
    return {"text": raw(words)}


def grocery(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Things from a shop: said alone ("add milk") they can only mean the list."""
    if not any(word in _GROCERIES for word in said) or not set(said) <= _BESIDE_GROCERIES:
        return None
    return {"text": raw(words)}


def entry(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Something that is on the to-do list now: only then "the laundry is done" is a command."""
    said_text = " ".join(word for word in said if word not in ("the", "my", "a"))
    return {"text": raw(words)} if any(said_text and said_text in entry for entry in scene.entries) else None


def item(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A thing on a list: short, and no question."""
    if len(said) > 12 or said[0] in _ASKING or "list" in said[:2]:
        return None
    return text(said, words, scene)


def reminder(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A deed and its time in either order: "call mom at five", "in ten minutes to call mom"."""
    if said[0] in _ASKING:
        return None
    for cut in range(len(said) - 1, 0, -1):
        if said[cut] in ("to", "that", "about", "i"):
            keep = cut if said[cut] == "i" else cut + 1
            deed, time = words[keep:], said[:cut]
            moment = when(time, words[:cut], scene) or when(["at", *time], words[:cut], scene)
            if deed and moment and (kept := text([w.norm for w in deed], deed, scene)):
                if _hides_time(said[keep:], scene):
                    continue
                return {**kept, **moment}
    if said[0] == "i" and said[1:2] in (["have"], ["need"], ["must"], ["am"], ["should"], ["want"]):
        said, words = ["that", *said], (Word("that", ""), *words)
    if said[0] not in ("to", "that", "about", "of") or said[1:2] in (["why"], ["how"], ["what"], ["who"]):
        return None
    joint, said, words = said[0], said[1:], words[1:]
    for cut in range(1, len(said)):
        moment = when(said[cut:], words[cut:], scene)
        if moment and (kept := text(said[:cut], words[:cut], scene)):
            return {**kept, **moment}
    if not said or said[0] in _NO_DEEDS or joint == "of" or _hides_time(said, scene):
        return None  # "remind me of the plot" asks to be told
    return text(said, words, scene)


def deed(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A reminder after which no "to" was said: "reminder: call dad at seven", "reminder at five call mom"."""
    if found := deadline(["to", *said], (Word("to", ""), *words), scene):
        return found
    for cut in range(len(said) - 1, 0, -1):
        moment = when(said[:cut], words[:cut], scene)
        if moment and not _hides_time(said[cut:], scene) and (kept := text(said[cut:], words[cut:], scene)):
            return {**kept, **moment}
    return None


def deadline(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A reminder that names its time; "tell me about the war" does not."""
    found = reminder(said, words, scene)
    return found if found and "at" in found else None


def _hides_time(said: list[str], scene: Scene) -> bool:
    """Whether "and" goes on after a time: what follows is a second request."""
    return any(
        word in ("and", "then") and any(when(said[start:at], (), scene) for start in range(1, at))
        for at, word in enumerate(said)
    )


def further(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "the one before", "one more": the change before the one that was undone already."""
    fits = re.fullmatch(
        r"(?:the )?(?:one|thing|change|step) before|(?:one|another) more(?: thing| change| step)?"
        r"|another (?:one|thing|change|step)|more|the (?:previous|earlier) one",
        " ".join(said),
    )
    return {"further": True} if fits else None


READERS: dict[str, Reader] = {
    "text": text, "grocery": grocery, "entry": entry, "item": item, "reminder": reminder, "deed": deed,
    "deadline": deadline, "further": further,
}  # fmt: skip
