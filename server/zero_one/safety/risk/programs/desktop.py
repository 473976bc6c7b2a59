"""What is seen and heard: windows, the clipboard, notifications, pictures, sound, and programs that open."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, table


def _clipboard(call: Call) -> list[Effect]:
    looks = call.program in ("pbpaste", "wl-paste") or call.has("-o", "-out", "--output")
    return [] if looks else [changes("device", "the clipboard")]


def _open(call: Call) -> list[Effect]:
    addresses = [o for o in call.operands if re.match(r"(?i)[a-z][a-z+.-]*:", o)]
    computed = not all(a.sure for a in call.args)
    out = [sends(a) for a in addresses if computed or re.match(r"(?i)(mailto|tel|sms|facetime)", a) or len(a) > 400]
    if any(
        re.match(r"(?i)(javascript|data|file):|.*\.(sh|command|desktop|app|exe|bat|cmd|scpt|workflow|jar|AppImage)$", o)
        for o in call.operands
    ) and not call.has("-a"):
        out.append(opaque(f"opens {' '.join(call.operands)}"))
    if any(
        t.startswith(("--remote-debugging", "--load-extension", "--disable-web-security", "-e", "--exec"))
        for t in call.texts
    ):
        out.append(opaque(f"{call.program} {' '.join(call.texts[:3])}"))
    if out:
        return out
    return [changes("process", f"opens {o}") for o in call.operands] or [changes("process", "opens something")]


_DESKTOP_LOOKS = re.compile(
    r"list|get|get-\S+|show|info|query|stat|status|search|getactivewindow|getmouselocation|getwindow\S*|getdisplay\S*"
    r"|list-\S+|read|-g"
)


_DESKTOP_ACTS = re.compile(
    r"[sc]?set.*|toggle.*|mute|unmute|play.*|pause|stop|next|previous|open|write|key.*|type.*|click|power|connect"
)


def _desktop(call: Call) -> list[Effect]:
    words = call.operands
    if "--empty" in call.texts or words[:1] == ["remove"]:
        return [destroys("delete", call.line)]
    if words[:1] == ["send"] or "send" in words[1:2]:
        return [sends(call.line)]
    shows = {
        "bluetoothctl": "devices paired-devices",
        "playerctl": "metadata position",
        "xrandr": "",
        "xset": "q",
        "light": "-G",
        "brightnessctl": "i max m",
        "rfkill": "",
        "pmset": "",
        "pactl": "",
        "xinput": "",
        "amixer": "",
        "setxkbmap": "-query",
    }
    if call.program == "xinput" and words[:1] and words[0].startswith("test"):
        return _spy(call)
    if call.program in shows and (not call.texts or (words and words[0] in shows[call.program].split())):
        return []
    if (
        call.program in ("xrandr", "setxkbmap")
        and not words
        and call.texts
        and all(
            t in ("--query", "-q", "--listmonitors", "--verbose", "--current", "-query", "-print") for t in call.texts
        )
    ):
        return []
    if words and _DESKTOP_ACTS.fullmatch(words[0]):
        return [changes("device", call.line)]
    told = call.program == "networksetup" and re.match(r"-(get|list)", "".join(call.texts[:1]))
    only = set(call.texts) & set("-l -m -d -q --list -g -lG".split())
    looks = (words and _DESKTOP_LOOKS.fullmatch(words[0])) or only or told
    acts = {"key", "type", "click", "windowkill", "windowactivate", "exec"} & set(words)
    if looks and not (call.program == "xdotool" and acts):
        return []
    if call.program in ("gio", "gsettings", "dconf", "defaults") and words[:1] in (["trash"],):
        return [paths.trashing(w) for w in words[1:]]
    if words[:1] in (["delete"], ["remove"], ["reset"], ["reset-recursively"]) or "windowkill" in words:
        return [destroys("delete", call.line)]
    if "exec" in words[:2] or call.has("--action", "-A"):
        return [opaque(call.line)]
    if _ENDS_ALL.search(" ".join(words)):
        return [destroys("system", call.line)]
    return [changes("device", call.line)]


_ENDS_ALL = re.compile(
    r"(?i)\.(poweroff|reboot|halt|suspend|hibernate|shutdown|delete\w*|remove\w*)\b|killactive|exit$"
)


def _notify(call: Call) -> list[Effect]:
    return [changes("device", "shows a notification", undoable=True)]


def _screen(call: Call) -> list[Effect]:
    target = (call.operands or ["a screenshot"])[-1]
    return [paths.writing(target)]


def _spy(call: Call) -> list[Effect]:
    return [Effect("device", f"{call.program} records or listens", Risk.SPEND_OR_SEND)]


_FLAGS = set(
    """
    -y -n -hide_banner -nostdin -stats -nostats -version -vn -an -sn -dn -shortest -re -autorotate -accurate_seek
    -copyts -formats -codecs -encoders -decoders -filters -devices -protocols -buildconf -L -h
    -bitexact -ignore_unknown -benchmark
    """.split()
)


def _outputs(call: Call) -> list[str]:
    """ffmpeg's operands are what it writes; with inputs only, it tells about them."""
    out: list[str] = []
    todo, nothing = call.texts, False
    while todo:
        text, todo = todo[0], todo[1:]
        if text.startswith("-") and len(text) > 1:
            nothing = nothing or (text == "-f" and todo[:1] == ["null"])
            todo = todo if text in _FLAGS else todo[1:]
        elif text != "-" and not nothing:
            out.append(text)
    return out


def _media(call: Call) -> list[Effect]:
    if re.search(r"x11grab|avfoundation|v4l2|alsa|pulse|dshow", " ".join(call.texts)):
        return _spy(call)
    if call.program == "ffmpeg":  # with inputs only, it tells about them
        return [effect for o in _outputs(call) for effect in [paths.writing(o)] if effect.risk]
    if call.program == "mogrify":
        return [paths.writing(o) for o in call.operands[-1:]] or [changes("process", "changes pictures")]
    if call.program == "pandoc":
        target = call.value("-o", "--output")
        return [paths.writing(target)] if target and target != "-" else call.reading()
    operands = call.operands
    return [paths.writing(operands[-1])] if len(operands) > 1 and operands[-1] not in ("-", "info:") else []


def _download(call: Call) -> list[Effect]:
    if call.has("-F", "--list-formats", "-j", "--dump-json", "--simulate", "-s"):
        return [fetches("a page")]
    if call.has("--exec"):
        return [opaque("a command after a download")]
    return [changes("process", "a download")]


TABLE: dict[str, Handler] = {
    **table(_clipboard, "xclip xsel pbcopy pbpaste wl-copy wl-paste clip"),
    **table(_open, """
        open xdg-open start gnome-open kde-open code subl atom firefox chromium google-chrome chrome safari
        nautilus explorer gnome-terminal xterm libreoffice soffice vlc mpv spotify thunderbird evince eog gimp
        idea
        """),
    **table(_desktop, """
        xdotool wmctrl ydotool wtype xrandr xset gsettings gio dconf defaults pmset pactl pacmd amixer wpctl
        pamixer playerctl brightnessctl light xbacklight networksetup bluetoothctl rfkill blueutil caffeinate
        xinput setxkbmap xmodmap feh nitrogen swaymsg i3-msg hyprctl qdbus dbus-send gdbus cancel
        """),
    **table(_notify, """
        notify-send terminal-notifier say espeak espeak-ng spd-say aplay paplay afplay beep zenity dialog
        whiptail osd_cat
        """),
    **table(_screen, "scrot import gnome-screenshot screencapture maim grim flameshot spectacle"),
    **table(_spy, """
        arecord parecord parec rec xev tcpdump tshark wireshark dumpcap evtest showkey logkeys ettercap
        fswebcam streamer imagesnap nmap masscan hydra john hashcat sqlmap msfconsole msfvenom
        aircrack-ng responder
        """),
    **table(_media, "ffmpeg convert magick mogrify sox pandoc lame montage compare"),
    **table(_download, "yt-dlp youtube-dl gallery-dl"),
}  # fmt: skip
