"""Secrets never come through, however they are cut into pieces; what only looks long and random does."""

from __future__ import annotations

import base64
import hashlib
import logging
import random
import time
import urllib.parse
import uuid
from collections.abc import Callable

import pytest

from zero_one.app import logs
from zero_one.safety.redact import HELD_LONG, MASK, Redactor, environment_secrets

KNOWN = ["correct horse battery staple", "zq9!profile-key"]
# Each text with the part of it that must not be seen. Made up, all of them.
SECRETS = {
    "sk-ant-api03-" + "aB3" * 12: "aB3aB3",
    "sk-proj-" + "Q7x" * 14: "Q7xQ7x",
    "ghp_" + "a1B2" * 9: "a1B2a1B2",
    "github_pat_" + "a1_" * 12: "a1_a1_",
    "glpat-" + "x1" * 10: "x1x1x1",
    "xoxb-12345678-abcdefgh": "12345678",
    "AKIAIOSFODNN7EXAMPLE": "IOSFODNN7",
    "AIza" + "Sy1" * 11 + "ab": "Sy1Sy1",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N": "dozjgNryP4J3",
    "01_0123456789ab_" + "x-Y_" * 8: "x-Y_x-Y_",
    "password=hunter2": "hunter2",
    "password: swordfish": "swordfish",
    '{"password": "two words"}': "two words",
    "export OPENAI_API_KEY=abcdEFGH1234": "abcdEFGH1234",
    "AWS_SECRET_ACCESS_KEY = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "K7MDENG",
    "Authorization: Bearer abcdefghijklmnop": "abcdefghijklmnop",
    "Authorization: Basic dXNlcjpwYXNz": "dXNlcjpwYXNz",
    "Cookie: a=b; session=xyzzy": "xyzzy",
    "https://user:pa55@host/x": "pa55",
    "postgres://u:p%40ss@db:5432/x": "p%40ss",
    "mysql --password hunter2": "hunter2",
    "curl -u bob:s3cret https://x": "s3cret",
    "https://x.y/z?access_token=abcdefgh1234&x=1": "abcdefgh1234",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\ndef\n-----END RSA PRIVATE KEY-----": "MIIEabc",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz": "b3BlbnNz",
    "say correct horse battery staple": "battery staple",
    "zq9!profile-key": "profile-key",
}
INNOCENT = [
    "commit " + hashlib.sha1(b"x").hexdigest(),
    "sha256:" + hashlib.sha256(b"").hexdigest(),
    str(uuid.UUID(int=0x1234567890ABCDEF1234567890ABCDEF)),
    "data:image/png;base64," + base64.b64encode(random.Random(3).randbytes(4000)).decode(),
    "password = getpass()",
    "token = tokenizer.encode(x)",
    "max_tokens=4096",
    "tokens: 1500",
    "def f(password: str, token: Optional[str] = None):",
    "secret = config.secret",
    "if password == stored:",
    "api_key=os.environ['X']",
    "the token is expired",
    "key: value",
    "print(f'{token}')",
    "author: bob",
    "at 12:30:45 see https://a.b/c?d=e",
    "-rw-r--r-- 1 root root 100 Jan 1 00:00 token.txt",
    "git log --oneline abcdef1 fix: password reset",
    "pip install scikit-learn sk-learn-extras",
    "task-12345678901234567890",
    "self.token = token",
    "/home/ann/.ssh/id_ed25519",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_masked_wherever_it_stands(text: str) -> None:
    redactor = Redactor(KNOWN)
    for framed in (text, f"before {text}\nafter", f"x\n{text}"):
        shown = redactor.text(framed)
        assert SECRETS[text] not in shown
        assert MASK in shown


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_one_survives(text: str) -> None:
    assert Redactor(KNOWN).text(f"before {text} after\n") == f"before {text} after\n"


def test_pieces_are_masked_like_the_whole() -> None:
    """However a text is cut into pieces, what comes out of a stream is what comes out of the whole."""
    rng, redactor = random.Random(1), Redactor(KNOWN)
    choices = [*SECRETS, *(text for text in INNOCENT if len(text) < 2000), "hello ", "x", "="]
    for _ in range(1500):
        text = rng.choice([" ", "\n", "; "]).join(rng.choice(choices) for _ in range(rng.randint(1, 6)))
        stream, out, at = redactor.stream(), "", 0
        while at < len(text):
            size = rng.choice([1, 2, 3, 7, 20, 100])
            out += stream.feed(text[at : at + size])
            at += size
        assert out + stream.finish() == redactor.text(text)


def test_a_stream_holds_back_little_and_says_all_in_the_end() -> None:
    redactor = Redactor(KNOWN)
    stream = redactor.stream()
    assert stream.feed("Enter your name: ") == "Enter your name: "
    assert stream.feed("A whole line.\n") == "A whole line.\n"
    assert stream.feed("50%\r") == "50%\r"
    out = "".join(stream.feed("a" * 1000) for _ in range(200))
    assert len(out) > 190_000
    assert len(out + stream.finish()) == 200_000
    endless = redactor.stream()
    shown = endless.feed("password=" + "x1" * HELD_LONG)
    assert "x1x1x1" * 50 not in shown + endless.finish()


@pytest.mark.parametrize(
    "text",
    [
        "sk-" * 60_000,
        "password=" * 30_000,
        "-----BEGIN PRIVATE KEY-----" * 8_000,
        "://:" * 50_000,
        "eyJ" * 60_000,
        "authorization:" * 20_000,
        "a:" * 90_000,
        '"' * 200_000,
    ],
)
def test_hostile_texts_take_no_longer_than_twice_for_twice_the_length(text: str) -> None:
    redactor = Redactor(KNOWN)

    def seconds(part: str) -> float:
        """Of this thread alone, at its best: whatever else goes on here is not the text's fault."""
        taken = []
        for _ in range(3):
            began = time.thread_time()
            redactor.text(part)
            taken.append(time.thread_time() - began)
        return min(taken)

    quarter, whole = seconds(text[: len(text) // 4]), seconds(text)
    assert whole < 12 * quarter + 0.3, (quarter, whole)  # quadratic time would be sixteen times and more


def test_the_environment_gives_its_secrets_and_no_more() -> None:
    environ = {
        "OPENAI_API_KEY": "abcdefgh1234",
        "MY_PASSWORD": "correcthorse",
        "SSH_AUTH_SOCK": "/run/user/1000/ssh",
        "KEYBOARD": "querty-layout",
        "TOKEN_LIMIT": "12345678",
        "PATH": "/usr/bin:/bin",
    }
    assert set(environment_secrets(environ)) == {"abcdefgh1234", "correcthorse"}


def test_logs_show_no_secret_not_even_in_an_exception(capsys: pytest.CaptureFixture[str]) -> None:
    logs.hide(["an-unlikely-value-77"])
    root, level = logging.getLogger(), logging.getLogger().level
    before = list(root.handlers)
    try:
        logs.setup(debug=False)
        try:
            raise ValueError("refused: an-unlikely-value-77, Authorization: Bearer abcdefghijklmnop")
        except ValueError:
            logging.getLogger("zero_one.test").exception("with %s", "password=hunter2")
    finally:
        for handler in [h for h in root.handlers if h not in before]:
            root.removeHandler(handler)
        root.setLevel(level)
    told = capsys.readouterr().err
    assert "refused" in told
    for secret in ("an-unlikely-value-77", "abcdefghijklmnop", "hunter2"):
        assert secret not in told


@pytest.mark.parametrize(
    "encode",
    [
        lambda raw: base64.b64encode(raw),
        lambda raw: base64.b64encode(b"user:" + raw + b"\n"),
        lambda raw: base64.urlsafe_b64encode(b"k=" + raw),
        lambda raw: base64.b32encode(raw),
        lambda raw: raw.hex().encode(),
        lambda raw: raw.hex().upper().encode(),
        lambda raw: raw.hex(" ").encode(),
        lambda raw: urllib.parse.quote(raw, safe="").encode(),
        lambda raw: raw[::-1],
    ],
)
def test_a_known_secret_is_masked_encoded_as_well(encode: Callable[[bytes], bytes]) -> None:
    """What is left over is shorter than what could be guessed from."""
    raw = b"top?secret~value/42+xyz"
    encoded = encode(raw).decode()
    redactor = Redactor([raw.decode()])
    assert len(redactor.text(encoded).replace(MASK, "")) <= 10
    stream = redactor.stream()
    shown = "".join(stream.feed(piece) for piece in f"it is {encoded} .") + stream.finish()
    assert len(shown.replace(MASK, "")) <= 20
