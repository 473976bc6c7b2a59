"""What a path means: secrets, places that start programs by themselves, devices, system folders."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import replace

from zero_one.safety.risk.model import Effect, Kind, Risk, destroys, reads

# A path may hold unresolved pieces ($HOME, ~, globs), so these look at its shape, not at the disk.
_SECRETS = re.compile(
    r"""(?ix)
    (^|/)\.ssh(/|$) (?! known_hosts | config$ | [^/]*\.pub$) | (^|[/'"\s])id_(rsa|dsa|ecdsa|ed25519)(?!\.pub)
    | (^|/)\.(aws|azure|gnupg|password-store|kube|electrum|bitcoin|ethereum|config/gcloud|config/gh)(/|$)
    | (^|/)\.(netrc|git-credentials|pgpass|npmrc|pypirc|docker/config\.json|vault-token|my\.cnf|htpasswd)$
    | (^|/)\.(bash|zsh|python|psql|mysql)_history$
    | (^|/)\.env(\.(?!example|sample|template)\w+)?$
    | /etc/(g?shadow|sudoers|master\.passwd) | (^|/)(SAM|NTDS\.dit)$
    | \.(pem|p12|pfx|kdbx?|keychain(-db)?|jks|ppk|key)$ | (^|/)wallet\.dat$
    | Keychains | Login\ ?Data | (^|/)Cookies(\.sqlite|$) | (key[34]\.db|logins\.json|signons\.sqlite)$
    | (^|/)(credentials|secrets?|tokens?|passwords?|passwd-s)(\.(json|ya?ml|txt|toml|ini|csv|db))?$
    | keyrings? | /proc/[^/]+/environ | Local\ State$ | (^|/)seed(_phrase)?\.txt$
    """
)
_POWER = re.compile(
    r"""(?ix)
    \.ssh/(authorized_keys|rc|config)
    | /etc/(passwd|shadow|group|sudoers|pam\.|ld\.so|hosts|ssh/|security|cron|rc\.|init)
    | /etc/(systemd|profile|environment|apt|resolv\.conf|fstab|nsswitch)
    | /boot(/|$) | (?<![\w~}.-])/(usr/(local/)?)?s?bin/ | /usr/lib | /lib(64)?/
    | ^/(etc|usr|bin|sbin|lib|boot|sys|proc)(/|$) | ^/System | ^/Library | [A-Z]:\\+Windows
    """
)
_AUTOSTART = re.compile(
    r"""(?ix)
    (^|/)\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin|xprofile|xinitrc|xsessionrc
      |inputrc|vimrc|pythonrc\.py|pythonstartup|gitconfig)$
    | autostart | LaunchAgents | LaunchDaemons | systemd/user | cron(tabs?|\.d|\.daily)? /? | Startup | config/fish
    | (^|/)\.git/hooks | sitecustomize\.py | usercustomize\.py | \.pth$ | \.ipython/profile
    """
)
_RAW_DEVICE = re.compile(r"^(/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|md|mem|kmem|port|loop)|\\\\\.\\)", re.I)
_HARMLESS_DEVICE = re.compile(r"^(/dev/(null|stdout|stderr|stdin|tty|fd/\d+|zero|u?random)|-|&\d|nul)$", re.I)
_SOCKET = re.compile(r"^/dev/(tcp|udp)/")
_REMOTE = re.compile(
    r"^(s3a?|gs|gcs|abfss?|az|adl|hdfs|s?ftps?|https?|smb|webdavs?|hf|rtmps?|rtsp|rtp|udp|tcp|srt|icecast|gopher|tftp|mqtts?)://|^\\\\[\w$]"
)
_COMPUTED = re.compile(r"[$`\0\n…]|^\s*$|%\w+%|\{\}|^-$")
COMPUTED = "a computed name"
_EVERYTHING = re.compile(
    r"^(/|/\*|~|~/|~/\*|\$\{?HOME\}?(/\*?)?|/home(/[^/]+)?/?\*?|/root/?\*?|/Users(/[^/]+)?/?\*?|\*|\.|\./?\*?|\.\.(/.*)?|[A-Z]:\\*\*?)$"
)


_NAMES_OF_SECRETS = (
    ".ssh",
    "id_rsa",
    "id_ed25519",
    ".env",
    ".netrc",
    "shadow",
    ".aws",
    "credentials",
    ".gnupg",
    ".pgpass",
)


def is_secret(path: str) -> bool:
    """Patterns count for what they could stand for: ``.e[n]v``, ``sh?dow``, ``.s*/id_*``."""
    if _SECRETS.search(path):
        return True
    if not re.search(r"[*?\[]", path) or len(path) > 500:
        return False
    for part in path.split("/"):
        telling = len(re.sub(r"[^\w]|\[[^\]]*\]", "", part)) >= 2 and re.search(r"[*?\[]", part)
        if telling and any(fnmatch.fnmatchcase(name, part) for name in _NAMES_OF_SECRETS):
            return True
    return False


def is_socket(path: str) -> bool:
    """bash's /dev/tcp/host/port: a network connection that looks like a file."""
    return bool(_SOCKET.match(path))


def is_nothing(path: str) -> bool:
    """Writing there keeps nothing and reading it tells nothing."""
    return bool(_HARMLESS_DEVICE.match(path))


def is_everything(path: str) -> bool:
    """A whole home, disk or current folder."""
    return bool(_EVERYTHING.match(path))


def is_written_out(path: str) -> bool:
    """Whether a path says which file it is: nothing in it is computed. A glob does."""
    return bool(path.strip()) and not _COMPUTED.search(path) and path != COMPUTED and len(path) < 4096


def _named(kind: Kind, path: str, risk: Risk, *, undoable: bool) -> Effect:
    known = is_written_out(path)
    return Effect(kind, path if known else in_words(path), risk, undoable and known, known)


def in_words(path: str) -> str:
    """A path that is not wholly known, told so that nobody takes it for one."""
    return COMPUTED if path in (COMPUTED, "$COMPUTED", "{}", "-") or not path.strip("…/ ") else f"{path} ({COMPUTED})"


def reading(path: str) -> Effect:
    if is_secret(path):
        return Effect("credential", path, Risk.SPEND_OR_SEND)
    if _RAW_DEVICE.match(path):
        return Effect("device", path, Risk.SPEND_OR_SEND)
    return reads(path)


def writing(path: str) -> Effect:
    """A file is made or overwritten."""
    if is_nothing(path):
        return reads(path)
    if _RAW_DEVICE.match(path):
        return destroys("device", path)
    if is_socket(path) or _REMOTE.match(path):
        return Effect("send", path, Risk.SPEND_OR_SEND)
    if _POWER.search(path) or path == "/":
        return _named("system", path, Risk.DESTROY, undoable=False)
    if _AUTOSTART.search(path):
        return _named("persist", path, Risk.SPEND_OR_SEND, undoable=False)
    if is_secret(path):
        return _named("credential", path, Risk.SPEND_OR_SEND, undoable=False)
    return _named("write", path, Risk.CHANGE, undoable=True)


def emptying(path: str) -> Effect:
    """What a file holds is thrown away."""
    effect = writing(path)
    return (
        effect if effect.risk in (Risk.OBSERVE, Risk.DESTROY) else _named("delete", path, Risk.DESTROY, undoable=False)
    )


def moving(source: str, target: str) -> tuple[Effect, ...]:
    """``source`` goes to ``target``; what stood there before is overwritten."""
    if is_nothing(source):
        return (emptying(target),)
    if is_nothing(target) or is_everything(source) or _POWER.search(source):
        return (_named("delete", source, Risk.DESTROY, undoable=False),)
    read, gone = reading(source), _named("move", source, Risk.CHANGE, undoable=True)
    return (gone, writing(target), *((read,) if read.risk else ()))


def copying(source: str, target: str) -> tuple[Effect, ...]:
    if re.match(r"/dev/(null|zero|u?random)$", source):
        return (_named("delete", target, Risk.DESTROY, undoable=False),)
    return (reading(source), writing(target))


def below(folder: str | None, effects: list[Effect]) -> list[Effect]:
    """Effects of code that runs in ``folder`` (None: nobody knows which), told from where the whole program runs."""
    if folder == "":
        return effects
    return [_moved(folder, e) if e.file and not re.match(r"[/~\\]|[A-Za-z]:", e.what) else e for e in effects]


def _moved(folder: str | None, effect: Effect) -> Effect:
    if folder is None:
        return replace(effect, what=in_words(effect.what), undoable=False, file=False)
    return replace(effect, what=f"{folder.rstrip('/')}/{effect.what}")


def deleting(path: str) -> Effect:
    return _named("delete", path, Risk.DESTROY, undoable=False)


def trashing(path: str) -> Effect:
    """Put into the trash, from where it can be taken back."""
    return _named("move", path, Risk.CHANGE, undoable=True)


def protecting(path: str, mode: str) -> Effect:
    """Modes, owners or attributes of ``path`` change."""
    if is_everything(path) or _POWER.search(path) or is_secret(path):
        return destroys("system", f"permissions of {path}")
    if re.search(r"(^|[ugoa,])[+=][rwxXt]*s|^0?[24-7][0-7]{3}$", mode):
        return destroys("system", f"set-user-id on {path}")
    return _named("write", path, Risk.CHANGE, undoable=True)
