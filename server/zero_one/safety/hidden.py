"""What no code may read, even where it may read the home folder: keys, tokens, sessions, private conversations.

Three lists: places known by name, files known by their name's shape wherever they lie in the home folder (as far as a
short walk finds them), and our own folders, wherever ``ZERO_ONE_HOME`` put them.
"""

from __future__ import annotations

import fnmatch
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path


def _names(below: str, text: str) -> tuple[str, ...]:
    return tuple(below + name.strip() for name in " ".join(text.split()).split(","))


SECRETS = (
    *_names("", """
    .ssh, .gnupg, .pki, .aws, .azure, .kube, .docker, .helm, .terraform.d, .boto, .s3cfg, .oci, .vault-token,
    .fly, .netlify, .vercel, .claude, .claude.json, .codex, .gemini, .password-store, .local/share/keyrings,
    .local/share/kwalletd, .lastpass, .authy, .keepass, .netrc, .pgpass, .my.cnf, .mylogin.cnf,
    .git-credentials, .npmrc, .yarnrc, .yarnrc.yml, .pypirc, .gem/credentials, .cargo/credentials,
    .cargo/credentials.toml, .m2/settings.xml, .m2/settings-security.xml, .gradle/gradle.properties, .nuget,
    .subversion/auth, .msmtprc, .mbsyncrc, .fetchmailrc, .offlineimaprc, .muttrc, .mutt, .smbcredentials,
    .htpasswd, .ICEauthority, .Xauthority, .rhosts, .cache/huggingface/token, .huggingface/token, .kaggle,
    .openai, .anthropic, .mozilla, .librewolf, .waterfox, .zen, .local/share/qutebrowser, .local/share/epiphany,
    .cache/mozilla, .cache/google-chrome, .cache/chromium, .cache/BraveSoftware, .cache/microsoft-edge,
    .thunderbird, .local/share/evolution, .cache/evolution, .local/share/geary, .mail, Mail, .maildir, Maildir,
    .local/share/kmail2, .local/share/akonadi, .local/share/TelegramDesktop, .purple, .weechat, .irssi,
    .local/share/signal-cli, .local/share/weechat, .electrum, .bitcoin, .ethereum, .litecoin, .dogecoin,
    .monero, .zcash, .ledger-live, .sparrow, .wasabi, .local/share/bisq, .foundry/keystores, .bash_history,
    .zsh_history, .zhistory, .sh_history, .ash_history, .histfile, .history, .python_history,
    .node_repl_history, .psql_history, .mysql_history, .sqlite_history, .rediscli_history, .mongorc.js,
    .dbshell, .lesshst, .viminfo, .wget-hsts, .local/share/fish/fish_history, .local/state/bash,
    .local/state/zsh, .local/share/nu, .ipython/profile_default/history.sqlite, .local/share/atuin,
    .zsh_sessions, .local/share/01, .local/state/01, snap, .var/app, .local/share/containers,
    .local/share/docker, .vnc, .local/share/remmina, .wg, .openvpn, .cisco, .cert, .local/state/syncthing,
    .dropbox, .vscode/extensions-secrets, .local/share/JetBrains
    """),
    *_names(".config/", """
    gcloud, gh, hub, glab-cli, doctl, hcloud, rclone, op, containers, git/credentials, pypoetry,
    composer/auth.json, sops, age, heroku, stripe, configstore, github-copilot, keepassxc, Bitwarden, 1Password,
    KeePass, Enpass, Authy Desktop, huggingface, litellm, google-chrome, google-chrome-beta,
    google-chrome-unstable, chromium, BraveSoftware, microsoft-edge, microsoft-edge-dev, opera, vivaldi,
    yandex-browser, qutebrowser, epiphany, falkon, evolution, geary, Mailspring, Signal, Signal Beta, Element,
    Slack, discord, skypeforlinux, teams, Microsoft, hexchat, weechat, WhatsApp, Exodus, atomic, Ledger Live,
    solana, @trezor, fish/fish_variables, 01, remmina, filezilla, FileZilla, nordvpn, tigervnc, rustdesk,
    syncthing, Nextcloud, onedrive, autokey, Code/User/globalStorage, Cursor, JetBrains
    """),
    *_names("Library/", """
    Keychains, Application Support/Google, Application Support/Firefox, Application Support/BraveSoftware,
    Application Support/Microsoft Edge, Application Support/Arc, Application Support/Vivaldi, Application
    Support/com.operasoftware.Opera, Application Support/1Password, Application Support/Bitwarden, Application
    Support/Signal, Application Support/Slack, Application Support/discord, Application Support/Exodus,
    Application Support/Electrum, Application Support/Bitcoin, Application Support/01, Application
    Support/AddressBook, Application Support/CallHistoryDB, Application Support/com.apple.TCC, Cookies, Safari,
    Messages, Mail, Calendars, HTTPStorages, Accounts, IdentityServices, Group Containers, Containers, Passes,
    Suggestions
    """),
)  # fmt: skip
"""Below the home folder: keys, tokens, browsers, mail, chats, wallets, histories, password managers. Never shown."""

SHAPES = tuple(
    """
    *.pem *.key *.p12 *.pfx *.jks *.keystore *.ppk *.kdbx *.kdb *.ovpn *.agilekeychain *.opvault *.asc.key *.keychain
    *.keychain-db id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_rsa_* id_ed25519_* .env .env.* *.env
    wallet.dat *.wallet .htpasswd credentials.json client_secret*.json service-account*.json .pgpass .netrc
    .git-credentials secrets.yml secrets.yaml secrets.toml secrets.json
    """.split()
)
"""Names that mean a key or a password, wherever they lie."""

_HARMLESS = (".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test", "cacert.pem", "ca-bundle.pem")
_DULL = {"node_modules", ".git", ".cache", "__pycache__", ".venv", "venv", "site-packages", ".tox", ".npm", ".rustup"}
_DEPTH, _LOOKS, _MOST = 6, 40_000, 400
_WORK_S, _PATIENCE_S = 0.4, 5.0
"""Of this thread's own work, and in all: a busy machine must not hide less."""


def secrets(home: Path, more: tuple[Path, ...] = ()) -> list[Path]:
    """What there is of it now, symbolic links followed to where the thing itself lies. Blocks: run it in a thread."""
    found: dict[Path, None] = {}
    for path in (*(home / name for name in SECRETS), *more, *sockets(Path("/"))):
        for real in _real(path):
            found[real] = None
    taken = set(found)
    for path in _walk(home, taken):
        for real in _real(path):
            found[real] = None
    # What lies in something hidden is hidden with it.
    return [path for path in found if not any(above in found for above in path.parents)]


def known(home: Path, more: tuple[Path, ...] = ()) -> frozenset[str]:
    """Which of the places known by name there are: cheap, to see whether a new one came."""
    places = [*(home / name for name in SECRETS), *more]
    there = frozenset(str(path) for path in places if os.path.lexists(path))
    # Programs make sockets in what is hidden anyway all the time.
    return there | {str(path) for path in sockets(home) if not any(str(above) in there for above in path.parents)}


def sockets(below: Path) -> list[Path]:
    """Sockets below a folder on which programs listen (Docker's, an agent's, an editor's).

    A folder that can only be read does not hinder anybody from speaking to a program through a socket in it.
    """
    try:
        lines = Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []
    paths = {line.split(maxsplit=7)[7] for line in lines[1:] if line.count(" /")}
    return [Path(path) for path in sorted(paths) if Path(path).is_relative_to(below)]


def _real(path: Path) -> Iterator[Path]:
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return
    if real == Path(real.anchor):
        return  # a link to the root of the disk hides nothing by hiding everything
    yield real


def _walk(home: Path, hidden: set[Path]) -> Iterator[Path]:
    tired, late, looks, found = time.thread_time() + _WORK_S, time.monotonic() + _PATIENCE_S, 0, 0
    folders = [(home, 0)]
    while folders:
        folder, depth = folders.pop(0)
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            looks += 1
            path = Path(entry.path)
            try:
                mode = entry.stat(follow_symlinks=False).st_mode
            except OSError:
                continue
            if stat.S_ISDIR(mode):
                if depth < _DEPTH and entry.name not in _DULL and path not in hidden:
                    folders.append((path, depth + 1))
            elif stat.S_ISSOCK(mode) or is_named_like_a_secret(entry.name):
                found += 1
                yield path
        if looks > _LOOKS or found > _MOST or time.thread_time() > tired or time.monotonic() > late:
            return


def is_named_like_a_secret(name: str) -> bool:
    low = name.lower()
    return low not in _HARMLESS and any(fnmatch.fnmatchcase(low, shape) for shape in SHAPES)
