"""Programs that talk to other machines."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, observe, table

_SEND_OPTIONS = tuple(
    """
    -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string -T --upload-file
    --mail-from --mail-rcpt --post-data --post-file --body-data --body-file -Q --quote
    """.split()
)
_LOCAL = re.compile(r"^(https?://)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)")


def _curl(call: Call) -> list[Effect]:
    out: list[Effect] = []
    urls = [o for o in call.operands if re.search(r"://|^[\w.-]+\.\w{2,}(/|$|:)|^localhost", o)]
    where = urls[0] if urls else "an address"
    method = (call.value("-X", "--request", "--method") or "GET").upper()
    if call.program in ("http", "https", "xh", "httpie"):
        fields = [o for o in call.operands if re.match(r"[\w.-]+(:?=@?|@)", o) and "://" not in o and "==" not in o]
        verb = next((o for o in call.operands if re.fullmatch(r"[A-Z]{3,7}", o)), "POST" if fields else "GET")
        method = verb if method == "GET" else method
    if method == "DELETE":
        out.append(destroys("send", f"a delete request to {where}"))
    elif method not in ("GET", "HEAD", "OPTIONS") or call.has(*_SEND_OPTIONS):
        out.append(sends(where))
    if not all(a.sure for a in call.args):
        # A computed address or header can carry anything out.
        out.append(sends(f"{where} (the address is computed)"))
    for option in (
        "-o",
        "--output",
        "-O",
        "--remote-name",
        "--output-document",
        "-c",
        "--cookie-jar",
        "-D",
        "--dump-header",
    ):
        target = call.value(option)
        if target is not None or call.has(option):
            if option in ("-O", "--remote-name") and call.program == "curl":
                out.append(changes("write", f"a file from {where}", undoable=True))
            elif target and target != "-":
                out.append(paths.writing(target))
    keeps = call.program in ("wget", "aria2c", "axel") and not call.has("--spider")
    if keeps and not out and call.value("-O", "--output-document") is None:
        out.append(changes("write", f"a file from {where}", undoable=True))
    for text in call.texts:
        if re.search(r"(^|=)@(?!-$)\S", text) and call.has(*_SEND_OPTIONS):
            out.append(sends(f"{text.split('@', 1)[1]} to {where}"))
        if text.startswith("file://"):
            out.append(paths.reading(text[7:]))
    if (call.has("-K", "--config", "-i", "--input-file") and call.program in ("wget",)) or call.has("-K", "--config"):
        out.append(opaque("addresses from a file"))
    return out or [fetches(where)]


def _netcat(call: Call) -> list[Effect]:
    if call.has("-e", "-c", "--exec", "--sh-exec") or any(re.match(r"(exec|system):", t, re.I) for t in call.texts):
        return [destroys("send", "a shell for another machine")]
    if call.has("-z"):
        return []
    return [sends(" ".join(call.operands) or "another machine")]


def _ssh(call: Call) -> list[Effect]:
    operands = call.operands
    out = [sends(operands[0] if operands else "another machine")]
    if any("proxycommand" in t.lower() or "localcommand" in t.lower() for t in call.texts):
        out.append(opaque("a proxy command"))
    if call.has("-R", "-D", "-L", "-w"):
        out.append(destroys("send", "a tunnel into this machine"))
    if len(operands) > 1:
        call.reader.nested(" ".join(operands[1:]), "shell")
    elif call.stdin is not None:
        out.append(opaque("commands for another machine"))
    return out


def _copy_out(call: Call) -> list[Effect]:
    texts, operands = call.texts, call.operands
    out: list[Effect] = [e for e in map(paths.reading, operands) if e.risk]
    if (
        call.has("-e", "--rsh")
        and call.program == "rsync"
        and not re.match(r"ssh(\s|$)", call.value("-e", "--rsh") or "")
    ):
        out.append(opaque("a command run by rsync"))
    if any(t.startswith("--delete") or t == "--remove-source-files" for t in texts):
        out.append(destroys("delete", operands[-1] if operands else "files"))
    remote = [o for o in operands if re.match(r"(?:[\w.-]+@)?[\w.-]+:(?!\\)", o) or "://" in o]
    if operands and operands[-1] in remote:
        return [*out, sends(operands[-1])]
    if remote or call.program in ("ftp", "sftp", "lftp"):
        return [*out, sends(remote[0] if remote else "another machine")] if call.program != "rsync" else [
            *out, changes("write", operands[-1], undoable=True)]  # fmt: skip
    if call.program == "rsync" and call.has("-n", "--dry-run"):
        return []
    return [*out, *(paths.writing(o) for o in operands[-1:])]


def _send(call: Call) -> list[Effect]:
    return [sends(" ".join(call.operands[:3]) or call.program)]


_CLOUD_LOOKS = re.compile(
    r"get|list|ls|describe|show|status|version|config|info|logs|top|explain|whoami|plan|validate|output|current-context"
    r"|can-i|api-resources|api-versions|cluster-info|diff"
)
_CLOUD_ENDS = re.compile(
    r"delete|destroy|rm|rb|purge|drop|prune|uninstall|drain|reset|(delete|terminate|remove|deregister)\S*"
)
_CLOUD_SECRETS = re.compile(r"get-secret-value|access|print-(access|identity)-token|get-session-token|token")


def _cloud(call: Call) -> list[Effect]:
    """Command lines of hosters: looking is free, the rest costs money or destroys."""
    words = [o.lower() for o in call.operands]
    verbs = words[:2] if call.program in ("kubectl", "helm", "terraform") else words
    what = f"{call.program} {' '.join(call.operands[:3])}"
    if any(_CLOUD_ENDS.fullmatch(w) for w in verbs):
        return [destroys("delete", what)]
    if any(_CLOUD_SECRETS.fullmatch(w) for w in words) or re.match(r"get secrets?\b", " ".join(words)):
        return [Effect("credential", what, sends("").risk)]
    if call.program == "aws" and words[:1] == ["s3"] and words[1:2] in (["cp"], ["sync"], ["mv"]):
        return [sends(what), *(e for e in map(paths.reading, call.operands) if e.risk)]
    if call.program == "kubectl" and words[:1] in (["exec"], ["apply"], ["cp"], ["run"]):
        return [sends(what), opaque(what)] if words[:1] == ["exec"] else [sends(what)]
    if any(_CLOUD_LOOKS.match(w) or w.startswith(("list-", "describe-", "get-")) for w in words[:4]):
        return [fetches(what)]
    return [Effect("spend", what, sends("").risk)]


def _gh(call: Call) -> list[Effect]:
    words = call.operands
    if words[:2] == ["auth", "token"]:
        return [Effect("credential", "the GitHub token", sends("").risk)]
    if "delete" in words or "archive" in words:
        return [destroys("delete", " ".join(words[:3]))]
    if words[:1] == ["api"] and not call.has("-X", "--method", "-f", "-F", "--field", "--raw-field", "--input"):
        return [fetches("GitHub")]
    if any(w in ("list", "view", "status", "diff", "checks", "search") for w in words[:2]):
        return [fetches("GitHub")]
    if words[1:2] in (["clone"], ["checkout"]):
        return [changes("write", words[-1], undoable=True)]
    return [sends("GitHub: " + " ".join(words[:3]))]


def _listen(call: Call) -> list[Effect]:
    return [Effect("send", f"{call.program} opens this machine to others", sends("").risk)]


def _lookup(call: Call) -> list[Effect]:
    """A name looked up tells its server the name: a computed one can carry data out."""
    if not all(a.sure for a in call.args):
        return [sends("a computed name")]
    return [fetches(o) for o in call.operands[:1]]


def _ip(call: Call) -> list[Effect]:
    changing = re.compile(r"^(add|del|delete|set|flush|change|replace|up|down|link-local)$")
    if any(changing.match(t) for t in call.operands):
        return [changes("system", f"{call.program} {' '.join(call.operands)}")]
    return []


def _ifconfig(call: Call) -> list[Effect]:
    return [changes("system", "network settings")] if len(call.operands) > 1 else []


TABLE: dict[str, Handler] = {
    **table(_curl, "curl wget http https xh httpie aria2c axel curlie"),
    **table(_netcat, "nc ncat netcat socat telnet cryptcat"),
    **table(_ssh, "ssh mosh autossh sshpass plink"),
    **table(_copy_out, "scp rsync sftp ftp lftp tftp rclone rcp"),
    **table(
        _send,
        """
        ssh-copy-id twine mail mailx mutt sendmail msmtp ssmtp swaks wall write twilio slack tweet
        signal-cli telegram-send ntfy
        """,
    ),
    **table(
        _cloud,
        """
        aws gcloud az kubectl helm terraform pulumi heroku flyctl fly vercel netlify doctl gsutil stripe
        linode-cli
        """,
    ),
    **table(_listen, "ngrok cloudflared localtunnel lt bore frpc chisel"),
    **table(_lookup, "ping ping6 dig nslookup host traceroute tracepath mtr whois getent arp arping"),
    **table(_ip, "ip nmcli"),
    **table(_ifconfig, "ifconfig route iwconfig"),
    **table(observe, "ss netstat nethogs iftop iwgetid speedtest speedtest-cli networkQuality"),
    "gh": _gh,
}
