"""Programs that talk to other machines."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, observe, table
from zero_one.safety.risk.programs.options import looking

_SEND_OPTIONS = tuple(
    """
    -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string -T --upload-file
    --mail-from --mail-rcpt --post-data --post-file --body-data --body-file -Q --quote
    """.split()
)
_LOCAL = re.compile(r"^(https?://)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)")


def _kept(where: str) -> Effect:
    """A download is kept under the last name of its address."""
    name = re.sub(r"[?#].*", "", where.rstrip("/")).rsplit("/", 1)[-1]
    return paths.writing(name) if name and "://" in where else changes("process", f"keeps a file from {where}")


_CURL_VALUES = (
    "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    """
    --output --request --method --header --data --data-raw --data-binary --data-ascii --data-urlencode --form --user
    --form-string --upload-file --user-agent --referer --cookie --cookie-jar --dump-header --config --max-time --retry
    --connect-timeout --proxy --write-out --url --cacert --cert --key --resolve --json --range --output-dir --interface
    --mail-from --mail-rcpt --quote --trace --trace-ascii --stderr --netrc-file --doh-url --unix-socket --limit-rate
    """,
)
_WGET_VALUES = (
    "oaetTOPQUlAURDIXBiw",
    """
    --output-document --output-file --append-output --user-agent --header --post-data --post-file --method --body-data
    --body-file --timeout --tries --directory-prefix --input-file --execute --user --password --referer --limit-rate
    --level --accept --reject --domains --wait --load-cookies --save-cookies --base --use-askpass --warc-file
    """,
)
_CURL_WRITES = (
    "-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --hsts --alt-svc --etag-save".split()
)
_WGET_WRITES = (
    "-O --output-document -o --output-file -a --append-output --save-cookies --warc-file --rejected-log".split()
)
_ADDRESS = re.compile(r"://|^[\w.-]+\.\w{2,}(/|$|:|\?)|^localhost|^\[?[\da-f]*:|^\$")


_CURL_ASKS = re.compile(
    r"-[sSLfkiIvAeHmGgN46rzu#jJRoOcDwXxbdFTUKEyY0123nZVhPQtl:q]|--(silent|show-error|location(-trusted)?|fail(-early|-with-body)?|insecure|include|head"
    r"|verbose|user-agent|referer|header|max-time|connect-timeout|retry(-\w+)*|get|globoff|no-\S+|ipv[46]|range|compressed(-ssh)?|progress-bar"
    r"|http\S*|tls\S*|resolve|cacert|capath|max-redirs|speed-\w+|user|request|write-out|proto\S*|max-filesize|limit-rate|parallel\S*|raw|url"
    r"|location|version|help|manual|remote-\w+(-\w+)*|create-dirs|output(-dir)?|cookie(-jar)?|dump-header|path-as-is|interface|proxy|netrc\S*|basic"
    r"|digest|anyauth|oauth2-bearer|noproxy|continue-at|time-cond|styled-output|ciphers|alpn|keepalive-time|dns-\S+|doh-url|unix-socket"
    r"|trace\S*|stderr|hsts|alt-svc|etag-\w+|config|cert\S*|key\S*|junk-session-cookies|rate|xattr|disable|false-start|tcp-\S+|happy\S*)"
)
"""Options by which curl only asks, or which are looked at one by one; any other may send something along."""


def _curl(call: Call) -> list[Effect]:
    if call.program == "wget":
        return _wget(call)
    options, operands = call.options(*_CURL_VALUES)
    given = {name for name, _ in options}
    urls = [o for o in operands if _ADDRESS.search(o)] + [v for n, v in options if n == "--url"]
    where = urls[0] if urls else "an address"
    method = next((v.upper() for n, v in options if n in ("-X", "--request", "--method")), "GET")
    if call.program != "curl":
        fields = [o for o in operands if re.match(r"[\w.-]+(:?=@?|@)", o) and "://" not in o and "==" not in o]
        verb = next((o for o in operands if re.fullmatch(r"[A-Z]{3,7}", o)), "POST" if fields else "GET")
        method = verb if method == "GET" and call.program in ("http", "https", "xh", "httpie") else method
    uploads = bool(given & set(_SEND_OPTIONS)) and not ({"-G", "--get"} & given and all(a.sure for a in call.args))
    out = _asking(call, method, where, uploads)
    for name, value in options:
        if name in _CURL_WRITES and value not in ("-", "") and not value.startswith("%"):
            out.append(paths.writing(value))
        elif name in ("-O", "--remote-name", "--remote-name-all", "-J"):
            out.append(_kept(where))
        elif name in ("-K", "--config"):
            out.append(opaque("addresses from a file"))
        elif name in _SEND_OPTIONS and re.search(r"(^|=|;)[@<](?!-$)\S", value):
            out.append(sends(f"{re.split('[@<]', value, maxsplit=1)[1]} to {where}"))
            out += [e for e in [paths.reading(re.split("[@<;]", value)[1])] if e.risk]
        elif name in ("-b", "--cookie", "-T", "--upload-file", "--netrc-file", "--key") and paths.is_secret(value):
            out.append(paths.reading(value))
        elif name in ("-H", "--header") and value.startswith("@"):
            out.append(sends(f"{value[1:]} to {where}"))
        elif name in ("-w", "--write-out") and "%output{" in value:
            out.append(paths.writing(re.sub(r".*%output\{>*([^}]*)\}.*", r"\1", value, flags=re.S)))
        elif call.program == "curl" and name not in _SEND_OPTIONS and not _CURL_ASKS.fullmatch(name):
            out.append(
                changes("process", f"curl {name} {value}") if name == "--libcurl" else sends(f"{where} ({name})")
            )
    if call.program in ("aria2c", "axel"):
        out.append(_kept(where))
    out += [paths.reading(u[7:]) for u in urls if u.startswith("file://")]
    out += [sends(u) for u in urls if re.match(r"(?i)(?!https?:|ftps?:|file:|sftp:|scp:)[a-z][a-z+]*://", u)]
    return out or [fetches(where)]


def _asking(call: Call, method: str, where: str, uploads: bool) -> list[Effect]:
    """What goes out with a request: its method, its body, and whatever is computed into address and headers."""
    out: list[Effect] = []
    if method == "DELETE":
        out.append(destroys("send", f"a delete request to {where}"))
    elif method not in ("GET", "HEAD", "OPTIONS") or uploads:
        out.append(sends(where))
    if not all(a.sure for a in call.args):
        out.append(sends(f"{where} (the address is computed)"))
    return out


def _wget(call: Call) -> list[Effect]:
    options, operands = call.options(*_WGET_VALUES)
    where = operands[0] if operands else "an address"
    given = {name for name, _ in options}
    method = next((v.upper() for n, v in options if n == "--method"), "GET")
    out = _asking(call, method, where, bool(given & set(_SEND_OPTIONS)))
    for name, value in options:
        if name in _WGET_WRITES and value not in ("-", ""):
            out.append(paths.writing(value))
        elif name in ("-i", "--input-file"):
            out.append(opaque("addresses from a file"))
        elif name in ("-e", "--execute", "--use-askpass", "--config"):
            out.append(opaque(f"wget {name} {value}"))
        elif name in ("--post-file", "--body-file") and paths.is_secret(value):
            out.append(paths.reading(value))
    if not given & {"-O", "--output-document", "--spider", "-V", "-h"}:
        out.append(_kept(where))
    return out or [fetches(where)]


def _netcat(call: Call) -> list[Effect]:
    if call.has("-e", "-c", "--exec", "--sh-exec") or any(re.match(r"(exec|system):", t, re.I) for t in call.texts):
        return [destroys("send", "a shell for another machine")]
    if any(name == "-z" for name, _ in call.options("wpsiqXxITPcegGoO")[0]):
        return []
    if call.has("-h", "-V", "--help", "--version"):
        return []
    return [sends(" ".join(call.operands) or "another machine")]


def _ssh(call: Call) -> list[Effect]:
    operands = call.operands
    if call.program == "ssh" and call.texts[:1] in (["-G"], ["-V"], ["-Q"]):
        return []
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
    if call.has("--rsync-path") or (call.program in ("scp", "sftp") and call.has("-S", "-D", "-F")):
        out.append(opaque(f"a command run by {call.program}"))
    if any("proxycommand" in t.lower() or "localcommand" in t.lower() for t in texts):
        out.append(opaque("a proxy command"))
    if call.program == "rclone" and set(operands[:1]) & set(
        "delete deletefile purge cleanup sync move bisync dedupe rmdir rmdirs".split()
    ):
        out.append(destroys("delete", f"rclone {' '.join(operands[:3])}"))
    if call.program == "rclone" and set(operands[:1]) & set(
        "ls lsd lsl lsf lsjson tree size about version listremotes cat check".split()
    ):
        return out
    if call.program in ("lftp", "sftp", "ftp") and re.search(
        r"\b(rm|mrm|rmdir|mput.*-E|mirror.*--delete)\b", " ".join(texts) + (call.stdin or "")
    ):
        out.append(destroys("delete", f"files on {operands[0] if operands else 'another machine'}"))
    if any(t.startswith("--delete") or t == "--remove-source-files" for t in texts):
        out.append(destroys("delete", f"what is only in {operands[-1] if operands else 'the target'}"))
    remote = [o for o in operands if re.match(r"(?:[\w.-]+@)?[\w.-]+:(?!\\)", o) or "://" in o]
    if operands and operands[-1] in remote:
        return [*out, sends(operands[-1])]
    if remote or call.program in ("ftp", "sftp", "lftp"):
        return [*out, sends(remote[0] if remote else "another machine")] if call.program != "rsync" else [
            *out, paths.writing(operands[-1])]  # fmt: skip
    if call.program == "rsync" and call.has("-n", "--dry-run"):
        return []
    return [*out, *(paths.writing(o) for o in operands[-1:])]


def _send(call: Call) -> list[Effect]:
    return [sends(" ".join(call.operands[:3]) or call.program)]


def _listen(call: Call) -> list[Effect]:
    return [Effect("send", f"{call.program} opens this machine to others", sends("").risk)]


def _lookup(call: Call) -> list[Effect]:
    """A name looked up tells its server the name: a computed one can carry data out."""
    if not all(a.sure for a in call.args) or (call.program == "dig" and call.has("-f")):
        return [sends("a computed name")]
    if call.program == "arp" and call.has("-d", "-s", "-f"):
        return [changes("system", call.line)]
    if call.program == "getent" and call.operands[:1] in (["shadow"], ["gshadow"]):
        return [Effect("credential", call.line, Risk.SPEND_OR_SEND)]
    return [fetches(o) for o in call.operands[:1]]


def _ip(call: Call) -> list[Effect]:
    changing = re.compile(
        r"^(add|del|delete|set|flush|change|replace|up|down|link-local|modify|connect|disconnect|on|off|exec|clone|import|"
        r"reload|hotspot|apply|reapply)$"
    )
    if "exec" in call.operands or {"-b", "-batch", "-force"} & set(call.texts):
        return [opaque(f"a command that {call.program} runs")]
    options, operands = call.options("fmgec", "--fields --mode --get-values --escape --colors")
    if call.program == "nmcli" and ({"-s", "--show-secrets"} & {n for n, _ in options} or "show-password" in operands):
        return [Effect("credential", "network passwords", Risk.SPEND_OR_SEND)]
    shows = set(call.operands) & {"show", "list", "ls", "get", "status"}
    acting = {t for t in call.operands if changing.match(t)} - ({"up", "down", "on", "off"} if shows else set())
    words = operands[1:2]
    known = call.program != "nmcli" or not words or bool(shows) or words[0] in ("monitor", "status", "wifi", "hostname")
    if acting or not known:
        return [changes("system", f"{call.program} {' '.join(call.operands)}")]
    return []


def _ifconfig(call: Call) -> list[Effect]:
    acts = (
        len(call.operands) > 1
        or (call.program == "route" and call.operands[:1] not in ([], ["print"]))
        or call.has("-f")
    )
    return [changes("system", "network settings")] if acts else []


TABLE: dict[str, Handler] = {
    **table(_curl, "curl wget http https xh httpie aria2c axel curlie"),
    **table(_netcat, "nc ncat netcat socat telnet cryptcat"),
    **table(_ssh, "ssh mosh autossh sshpass plink"),
    **table(_copy_out, "scp rsync sftp ftp lftp tftp rclone rcp"),
    **table(
        _send,
        """
        ssh-copy-id twine mail mailx s-nail mosquitto_pub smbclient lpr lp croc wormhole magic-wormhole
        transfer.sh ffsend
        onionshare kermit uucp logger-remote tweet-cli matrix-commander himalaya neomutt nmh mpack gist
        pastebinit mutt sendmail msmtp ssmtp swaks wall write twilio slack slackcat twurl tweet
        signal-cli telegram-send ntfy
        """,
    ),
    **table(_listen, "ngrok cloudflared localtunnel lt bore frpc chisel"),
    **table(_lookup, "ping ping6 dig nslookup host traceroute tracepath mtr whois getent arp arping"),
    **table(_ip, "ip nmcli"),
    **table(_ifconfig, "ifconfig route iwconfig"),
    **table(observe, "netstat nethogs iftop iwgetid speedtest speedtest-cli networkQuality"),
    "ss": looking,
}
