"""What is written, as it is said: many wordings, and properties that hold for any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zero_one.speech.speakable import speakable

SAID = [
    # what a text looks ahead at to know that it is an abbreviation
    ("No. 5 is on p. 7, ca. 1900, vol. 2, w/ milk.",
     "number five is on page seven, around nineteen hundred, volume two, with milk."),
    ("pp. 5-7, see fig. 3", "pages five to seven, see figure three"),
    # commas after ranges, ratios, groups of digits, numerals, thousands
    ("from 9-5, pages 10-20, then", "from nine to five, pages ten to twenty, then"),
    ("A 16:9 picture, score 2:0.", "A sixteen to nine picture, score two to zero."),
    ("Formation 4-4-2.", "Formation four, four, two."),
    ("World War II and Louis XIV", "World War two and Louis fourteen"),
    ("Call 911 or 112.", "Call nine one one or one hundred and twelve."),
    ("5k users, a 10K run, 4K video", "five thousand users, a ten K run, four K video"),
    ("It is >5 and <10.", "It is more than five and less than ten."),
    ("Mon–Fri, Q3 2025", "Monday to Friday, Q three twenty twenty-five"),
    ("1.5 kWh in 5 µs for 5¢, or ₹1,00,000",
     "one point five kilowatt hours in five microseconds for five cents, or one hundred thousand rupees"),
    # paths and mathematics as models write them
    ("Start ./run.sh or ../x/y.py", "Start run dot S H or parent folder slash x slash y dot P Y"),
    ("So \\(x = \\frac{1}{2}\\) and $$\\sqrt{16} \\times 2$$.",
     "So x equals one over two and square root of sixteen times two."),
    # markup
    ("Hello **world**, it is `ls`.", "Hello world, it is ls."),
    ("# Plan\n\nFirst *this*, then __that__.", "Plan. First this, then that."),
    ("- milk\n- eggs\n- bread", "milk. eggs. bread."),
    ("1. boil\n2. eat", "one, boil. two, eat."),
    ("- [ ] call mom\n- [x] pay rent", "call mom. done, pay rent."),
    ("> quoted words", "quoted words"),
    ("~~wrong~~ right", "wrong right"),
    ("See [the docs](https://example.org/x/y) now.", "See the docs now."),
    ("![a red cat](cat.png)", "picture: a red cat"),
    ("<b>bold</b> text<br>more", "bold text more"),
    ("```python\nprint(1)\nprint(2)\n```", "two lines of Python code."),
    ("Run this:\n\n```bash\nuptime\n```", "Run this: uptime."),
    ("| Name | Size |\n|---|---|\n| cat | 3 kg |\n| dog | 9 kg |",
     "cat, Size: three kilograms. dog, Size: nine kilograms."),
    ("a &amp; b", "a and b"),
    ("**unfinished bold", "unfinished bold"),
    ("`unfinished code", "unfinished code"),
    # addresses
    ("Mail joe.smith@example.com now.", "Mail joe dot smith at example dot com now."),
    ("https://www.example.com/", "example dot com"),
    ("Go to https://docs.python.org/3/library/asyncio-task.html#anchor now", "Go to docs dot python dot org now"),
    ("It runs on 192.168.0.12.",
     "It runs on one hundred and ninety-two dot one hundred and sixty-eight dot zero dot twelve."),
    ("10.0.0.5:8080", "ten dot zero dot zero dot five port eight zero eight zero"),
    ("localhost:10101", "local host port one zero one zero one"),
    ("Saved to /home/ada/notes.txt", "Saved to slash home slash ada slash notes dot text"),
    ("Open report_v2.pdf", "Open report v two dot P D F"),
    ("version v1.2.3", "version one point two point three"),
    ("my_function() failed", "my function failed"),
    # numbers
    ("There are 1,234 files.", "There are one thousand two hundred and thirty-four files."),
    ("Pi is 3.14.", "Pi is three point one four."),
    ("-5", "minus five"),
    ("0.5", "zero point five"),
    ("the 1st, 22nd and 103rd", "the first, twenty-second and one hundred and third"),
    ("1/2 cup and 2 3/4 cups", "one half cup and two and three quarters cups"),
    ("pages 5-7", "pages five to seven"),
    ("pages 5–7", "pages five to seven"),
    ("agent 007", "agent zero zero seven"),
    ("#1 of 3", "number one of three"),
    ("1920x1080", "one thousand nine hundred and twenty by one thousand and eighty"),
    ("It is 3x faster", "It is three times faster"),
    ("12 × 4 = 48", "twelve times four equals forty-eight"),
    ("x² + y² ≤ 10", "x squared plus y squared at most ten"),
    ("2^10 ≈ 1e3", "two to the tenth about one times ten to the third"),
    # money, percent
    ("It costs $29.99.", "It costs twenty-nine dollars and ninety-nine cents."),
    ("$1", "one dollar"),
    ("€5 or £1.50", "five euros or one pound and fifty pence"),
    ("$3 million", "three million dollars"),
    ("$1.5M", "one point five million dollars"),
    ("20 USD", "twenty U S dollars"),
    ("about 50% off", "about fifty percent off"),
    ("10-20%", "ten to twenty percent"),
    # units
    ("16 GB of 1 TB", "sixteen gigabytes of one terabyte"),
    ("21°C", "twenty-one degrees Celsius"),
    ("-3 °F", "minus three degrees Fahrenheit"),
    ("120 km/h", "one hundred and twenty kilometers per hour"),
    ("it took 250 ms", "it took two hundred and fifty milliseconds"),
    ("5 kg and 1 km", "five kilograms and one kilometer"),
    ("10 MB/s", "ten megabytes per second"),
    ("a 3.5GHz chip", "a three point five gigahertz chip"),
    ("10-15 km", "ten to fifteen kilometers"),
    ("2h 30m", "two hours thirty minutes"),
    ("5 m in 3 s", "five meters in three seconds"),
    ("I have 5 in my bag", "I have five in my bag"),
    # dates and times
    ("at 7:30 pm", "at seven thirty P M"),
    ("at 14:05", "at fourteen oh five"),
    ("3pm", "three P M"),
    ("7:00", "seven o'clock"),
    ("9am-5pm", "nine A M to five P M"),
    ("on 2024-05-17", "on May seventeenth, twenty twenty-four"),
    ("17.05.2024", "May seventeenth, twenty twenty-four"),
    ("12/25/2023", "December twenty-fifth, twenty twenty-three"),
    ("May 5, 2024", "May fifth, twenty twenty-four"),
    ("5 May 2024", "May fifth, twenty twenty-four"),
    ("born in 1985", "born in nineteen eighty-five"),
    ("2020–2024", "twenty twenty to twenty twenty-four"),
    ("the 1990s", "the nineteen nineties"),
    ("2024-05-17T08:30:00Z", "May seventeenth, twenty twenty-four at eight thirty U T C"),
    # words
    ("e.g. Dr. Smith", "for example Doctor Smith"),
    ("The API returns JSON over HTTP.", "The A P I returns Jason over H T T P."),
    ("NASA and PDFs", "Nasa and P D Fs"),
    ("DO NOT PRESS THIS", "do not press this"),
    ("and/or", "and or"),
    ("C++ and C#", "C plus plus and C sharp"),
    ("Call 555-123-4567", "Call five five five, one two three, four five six seven"),
    ("Call +1 (555) 123-4567", "Call plus one, five five five, one two three, four five six seven"),
    # emoji
    ("Done! 🎉", "Done!"),
    ("✅ Saved", "done, Saved"),
    ("⚠️ Low battery", "warning, Low battery"),
    ("👍", "thumbs up"),
    # nothing to say
    ("", ""),
    ("***", ""),
    ("```", ""),
    ("---", ""),
    ("...", ""),
]  # fmt: skip


@pytest.mark.parametrize(("written", "said"), SAID, ids=[written[:30] for written, _ in SAID])
def test_written_and_said(written: str, said: str) -> None:
    assert speakable(written) == said


@pytest.mark.parametrize("language", ["de", "fr", "es", "zh"])
def test_other_languages_lose_markup_and_keep_their_numbers(language: str) -> None:
    said = speakable("**Wichtig:** 3,5 `GB` — siehe https://www.example.com/x?y=1 😀", language)
    assert said == "Wichtig: 3,5 GB — siehe example.com"


MARKUP = re.compile(r"[*`#|<>\[\]{}~^\\]|https?://|\d")
MESSY = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            list("*_`#|<>[](){}~-+=/\\$€%@&.,:;!?'\"0123456789 \n\tabcdeABCDE°²½→✅😀🎉\u200b\ufe0f\u0000٣")
        ),
        st.characters(),
    ),
    max_size=200,
)


@settings(max_examples=150, deadline=None)
@given(MESSY)
def test_any_text_becomes_plain_words(text: str) -> None:
    """Never raises, one line, no markup, no ASCII digits left."""
    said = speakable(text)
    assert "\n" not in said
    assert not MARKUP.search(said), said
    assert said == said.strip()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([written for written, _ in SAID]), min_size=1, max_size=4))
def test_what_was_made_speakable_stays_as_it_is(parts: list[str]) -> None:
    """Clauses may pass through twice on their way."""
    once = speakable(" ".join(parts))
    assert speakable(once) == once


@settings(max_examples=50, deadline=None)
@given(st.integers(min_value=0, max_value=10**17), st.sampled_from(["{}", "{} files", "about {}.", "({})", "{}, then"]))
def test_whole_numbers_are_said_right(number: int, frame: str) -> None:
    from num2words import num2words

    expected = num2words(number).replace(",", "")
    assert expected in speakable(frame.format(f"{number:,}"))
