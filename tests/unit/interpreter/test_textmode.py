"""Fenced code in streamed text: what runs, what is shown, wherever the chunks fall."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zero_one.interpreter.textmode import (
    FenceReader,
    Offered,
    Prose,
    Unrunnable,
    Wanted,
    clearly_meant,
)

KNOWN = {"python": "python", "py": "python", "shell": "shell", "bash": "shell", "sh": "shell"}


def resolve(name: str) -> str | None:
    return KNOWN.get(name.lower())


def read(*chunks: str, stop: bool = True):
    reader, events = FenceReader(resolve), []
    for chunk in chunks:
        for event in reader.feed(chunk):
            events.append(event)
            if stop and isinstance(event, Wanted):
                return events
    return events + reader.finish()


def prose(events) -> str:
    return "".join(e.text if isinstance(e, Prose) else e.shown if isinstance(e, Offered) else "" for e in events)


def wanted(events) -> list[tuple[str, str]]:
    return [(e.language, e.code) for e in events if isinstance(e, Wanted)]


@pytest.mark.parametrize(
    ("text", "language", "code"),
    [
        ("```python run\nprint(1)\n```", "python", "print(1)"),
        ("```py run\nprint(1)\n```\n", "python", "print(1)"),
        ("```run python\nprint(1)\n```\n", "python", "print(1)"),
        ("```Python RUN\nprint(1)\n```\n", "python", "print(1)"),
        ("```{.python .run}\nprint(1)\n```\n", "python", "print(1)"),
        ("```python:run\nprint(1)\n```\n", "python", "print(1)"),
        ("~~~sh run\nls\n~~~\n", "shell", "ls"),
        ("~~~~~sh run\nls\n~~~\n~~~~~\n", "shell", "ls\n~~~"),
        ("````python run\nprint('```')\n```\n````\n", "python", "print('```')\n```"),
        ("```python run  \nprint(1)\n```  \n", "python", "print(1)"),
        ("```python run\r\nprint(1)\r\n```\r\n", "python", "print(1)"),
        ("```python run\nx = '''\n    ```\n'''\n```\n", "python", "x = '''\n    ```\n'''"),
        ("```python run\n```python\n```\n", "python", "```python"),
        ("Text first.\n```sh run\nls\n```\n", "shell", "ls"),
        ("```json\n{}\n```\n```sh run\nls\n```\n", "shell", "ls"),
    ],
)
def test_blocks_that_run(text, language, code):
    expected = [(language, code)]
    assert wanted(read(text)) == expected
    assert wanted(read(*text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)\n```\nThat is how.",
        "```\nrun\n```",
        "``` run\nls\n```",
        "```python run\n```",
        "```python run\n\n\n```",
        "```python run print(1)```",
        "`python run`",
        "``python run\nls\n``",
        " ```python run\nprint(1)\n ```",
        "   ```python run\nprint(1)\n   ```",
        "\t```python run\nprint(1)\n\t```",
        "> ```python run\n> print(1)\n> ```",
        ">```sh run\n>ls\n>```\n",
        "- ```python run\n  print(1)\n  ```",
        "* item\n  ```python run\n  print(1)\n  ```",
        "12) ```python run\n    print(1)\n    ```",
        "```markdown\n```python run\nprint(1)\n```\n```",
        "````\n```python run\nprint(1)\n```\n````",
        "~~~\n```python run\nprint(1)\n```\n~~~",
        "```text\n~~~python run\nprint(1)\n~~~\n```",
        "```python\n'''\n```python run\nprint(1)\n",
        "```python run\nprint(1)",
        "```python run\nprint(1)\n``",
        "```python run\nprint(1)\n~~~",
        "```python run",
        "```cobol run\nSTOP RUN.\n```",
        "```python dry-run\nprint(1)\n```\nOnly dry.",
        "```python running\nprint(1)\n```\nNo.",
        "<pre>\n python run\n</pre>",
        "1. First\n   ```sh\n   ls\n   ```\n2. Then ```sh run",
    ],
)
def test_blocks_that_do_not_run(text):
    assert not wanted(read(text))
    assert not wanted(read(*text))
    assert prose(read(*text)) == text, "what is not run is shown as it is"


def test_a_list_does_not_hide_the_block_after_it():
    text = "- see\n  ```sh\n  ls\n  ```\n\nNow:\n\n```sh run\npwd\n```\n"
    assert wanted(read(text)) == [("shell", "pwd")]


def test_what_cannot_run_says_why():
    assert any("not closed" in e.why for e in read("```sh run\nls") if isinstance(e, Unrunnable))
    assert any("cobol" in e.why for e in read("```cobol run\nx\n```") if isinstance(e, Unrunnable))
    assert any("start of a line" in e.why for e in read("  ```sh run\nls\n  ```") if isinstance(e, Unrunnable))


def test_words_pass_on_at_once_and_only_possible_fences_wait():
    reader = FenceReader(resolve)
    assert prose(reader.feed("Hel")) == "Hel"
    assert prose(reader.feed("lo\n``")) == "lo\n"
    assert prose(reader.feed("x is code")) == "``x is code"
    assert prose(reader.feed(" and on")) == " and on"


def test_an_unmarked_block_at_the_end_is_offered_once_the_end_is_known():
    [first, offer] = read("Look:\n", "```sh\nls\n```\n", "\n")
    assert first == Prose("Look:\n")
    assert offer == Offered("shell", "ls", "```sh\nls\n```\n\n")
    assert not [e for e in read("```sh\nls\n```\n", "Like this.") if isinstance(e, Offered)]


PIECES = st.lists(
    st.sampled_from(
        [
            "```",
            "~~~",
            "````",
            "python",
            " run",
            "\n",
            "print(1)",
            " ",
            "    ",
            "> ",
            "- ",
            "1. ",
            "x",
            "`",
            "\r\n",
            "sh",
        ]
    ),
    max_size=40,
)


@given(PIECES, st.integers(1, 9))
def test_chunks_change_nothing_and_no_text_is_lost(parts, size):
    text = "".join(parts)
    whole = read(text, stop=False)
    pieces = read(*(text[at : at + size] for at in range(0, len(text), size)), stop=False)
    assert wanted(whole) == wanted(pieces)
    assert prose(whole) == prose(pieces)
    assert [e for e in whole if not isinstance(e, Prose)] == [e for e in pieces if not isinstance(e, Prose)]
    for _, code in wanted(whole):
        assert code.strip()
    if not wanted(whole):
        assert prose(whole) == text


@pytest.mark.parametrize(
    ("request_", "before", "meant"),
    [
        ("how much space is left?", "Let me check.", True),
        ("how much space is left?", "", True),
        ("open the report", "I'll open it for you.", True),
        ("sort my photos", "First I will look at what is there.", True),
        ("what is 17 times 23?", "Calculating:", True),
        ("count my files", "Sure, counting them now.", True),
        ("how do I list files?", "Let me show you.", False),
        ("how do I list files?", "", False),
        ("show me the code for fibonacci", "", False),
        ("write a script that renames files", "I'll write it.", False),
        ("what does this command do?", "", False),
        ("explain pipes", "I'll use an example.", False),
        ("list my files", "You can do that with:", False),
        ("list my files", "For example, let me use:", False),
        ("list my files", "Here is how:", False),
        ("delete everything", "Never run this:", False),
        ("tell me about shells", "A typical loop:", False),
    ],
)
def test_an_unmarked_block_counts_as_an_act_only_when_that_is_plain(request_, before, meant):
    assert clearly_meant(request_, before) is meant
