"""What of our environment code gets to see."""

from __future__ import annotations

import pytest

from zero_one.computer.processes import environment


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_API_KEY", "x"),
        ("GH_PAT", "x"),
        ("MYSQL_PWD", "hunter2"),
        ("SSHPASS", "hunter2"),
        ("REDISCLI_AUTH", "hunter2"),
        ("SENTRY_DSN", "x"),
        ("BW_SESSION", "x"),
        ("SLACK_WEBHOOK_URL", "x"),
        ("SOME_COOKIE", "x"),
        ("DATABASE_URL", "postgres://ann:hunter2@db/x"),
        ("TRACKER", "https://0123456789abcdef0123456789abcdef@errors.example/1"),
        ("MINE", "sk-abcdefghijklmnopqrstuv123"),
        ("NOTIFY", "https://hooks.slack.com/services/T0/B0/abc"),
        ("STORAGE", "Endpoint=x;AccountName=a;AccountKey=abcd=="),
        ("CERT", "-----BEGIN RSA PRIVATE KEY-----\nabc"),
    ],
)
def test_secrets_are_left_out_by_name_and_by_shape(name: str, value: str) -> None:
    assert name not in environment({name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PWD", "/home/ann"),
        ("OLDPWD", "/"),
        ("SSH_AUTH_SOCK", "/run/user/1000/agent"),
        ("XAUTHORITY", "/home/ann/.Xauthority"),
        ("XDG_SESSION_TYPE", "x11"),
        ("DESKTOP_SESSION", "gnome"),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
        ("XKB_DEFAULT_KEYBOARD", "de"),
        ("HOME", "/home/ann"),
        ("PATH", "/usr/bin:/bin"),
        ("https_proxy", "http://ann:hunter2@proxy:3128"),
        ("EDITOR", "vim"),
    ],
)
def test_what_programs_need_stays(name: str, value: str) -> None:
    assert environment({name: value})[name] == value
