"""Processes, services, accounts, devices, desktop."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, table
from zero_one.safety.risk.programs.options import looking


def _line(call: Call) -> str:
    return f"{call.program} {' '.join(call.texts[:3])}".strip()


def _process(call: Call) -> list[Effect]:
    if call.has("-l", "-L", "-0", "--list") or call.texts[:2] == ["-s", "0"]:
        return []
    if any(o in ("-1", "1", "0", "*") for o in call.texts[-1:]) or call.program == "killall5":
        return [destroys("process", "all programs")]
    if (call.program in ("pkill", "killall") and call.has("-u", "-U", "--user")) or call.operands[:1] in (
        ["."],
        [".*"],
    ):
        return [destroys("process", "all programs of a user")]
    listed = r"(^|[|;&(`\n]|\$\()\s*ps\b|/proc/"
    picked = r"grep|pidof|lsof|fuser|awk\s+[^|]*(/|==|~)|ps\s+-C|\[\[?\s"
    computed = any(not a.sure for a in call.args)
    if computed and re.search(listed, call.reader.source) and not re.search(picked, call.reader.source):
        return [destroys("process", "all programs")]
    return [changes("process", f"ends {' '.join(call.operands)}")]


def _priority(call: Call) -> list[Effect]:
    return [changes("process", _line(call))]


def _power(call: Call) -> list[Effect]:
    if call.has("-c", "--show", "-k"):
        return []
    return [destroys("system", "turns the machine off; unsaved work is lost")]


_PROTECTS = re.compile(
    r"(?i)firewall|ufw|nftables|iptables|apparmor|selinux|audit|fail2ban|clam|defender|windefend|mpssvc|wscsvc|sense\b|falcon"
    r"|crowdstrike|sentinel|ossec|wazuh|rsyslog|syslog|journald|sshguard|backup|timemachine|snapshot|vss|eventlog|wuauserv"
)
"""Services that protect, watch or keep: stopping one of them switches protection off."""
_SERVICE_LOOKS = set(
    """
    status list-units list-unit-files show is-active is-enabled is-failed list-timers cat list-dependencies list-sockets
    get-default list print blame list-sessions show-session session-status user-status list-users show-environment info
    query
    """.split()
)


def _service(call: Call) -> list[Effect]:
    words = call.operands
    looks = _SERVICE_LOOKS
    said = [w for w in words if w in looks or re.match(r"[a-z-]+$", w)]
    if call.texts == ["--status-all"] or not words or any(v in looks for v in said[:2]):
        return []
    if any(v in ("poweroff", "reboot", "halt", "suspend", "hibernate", "kexec", "rescue", "emergency") for v in said):
        return _power(call)
    if any(
        v in ("enable", "link", "edit", "load", "bootstrap", "set-default", "import-environment", "create", "config")
        for v in said
    ):
        return [Effect("persist", _line(call), Risk.SPEND_OR_SEND)]
    stops = any(v in ("stop", "kill", "disable", "mask") for v in said) or "stop" in words
    if stops and (_PROTECTS.search(" ".join(words)) or "all" in words):
        return [destroys("system", _line(call))]
    if any(v in ("mask", "disable", "unload", "bootout", "terminate-user", "kill-user", "delete") for v in said):
        return [destroys("system", _line(call))]
    return [changes("process", _line(call))]


_SETTINGS_LOOK = re.compile(
    r"(?i)/?-?(query|q|get|show|list\w*|status|view|qe|gl|el|read|enum-logs|destinationinfo|latestbackup|users|shares|-?p)"
)


def _account(call: Call) -> list[Effect]:
    if call.program in _TWO_SIDED and not all(a.sure for a in call.args):
        return [destroys("system", _line(call))]
    looks = any(_SETTINGS_LOOK.fullmatch(t) for t in call.texts[:3])
    acts = any(verbs.risk_of(t) in (Risk.DESTROY, Risk.CHANGE) for t in call.operands)
    if call.program in _TWO_SIDED and looks and not acts:
        secret = "key=clear" in call.texts or "sam" in [o.lower()[-3:] for o in call.operands]
        return [Effect("credential", _line(call), Risk.SPEND_OR_SEND)] if secret else []
    return [destroys("system", _line(call))]


_TWO_SIDED = set(
    """
    reg net netsh schtasks wmic bcdedit vssadmin wevtutil certutil dscl nvram tmutil csrutil spctl fsutil passwd
    """.split()
)
"""Programs that show settings with one word and change the machine with another."""


def _printenv(call: Call) -> list[Effect]:
    if not call.operands:
        return [Effect("credential", "every variable of the environment", Risk.SPEND_OR_SEND)]
    secret = [o for o in call.operands if re.search(r"(?i)key|token|secret|passw|credential", o)]
    return [Effect("credential", o, Risk.SPEND_OR_SEND) for o in secret]


def _variables(call: Call) -> list[Effect]:
    """``set``, ``export -p``, ``declare``: without a name, each variable is printed with its value."""
    shows = not call.texts if call.program != "typeset" else False
    if shows or (call.texts and all(re.fullmatch(r"-[px]+", t) for t in call.texts)):
        return [Effect("credential", "every variable of the shell", Risk.SPEND_OR_SEND)]
    return []


def _crontab(call: Call) -> list[Effect]:
    if call.has("-r"):
        return [destroys("delete", "scheduled jobs")]
    if call.has("-l"):
        return []
    return [Effect("persist", "scheduled jobs", Risk.SPEND_OR_SEND)]


def _at(call: Call) -> list[Effect]:
    if call.program == "atq" or call.has("-l", "-c"):
        return []
    if call.program == "atrm":
        return [destroys("delete", "a scheduled job")]
    if call.stdin is not None and "\0" not in call.stdin:
        call.reader.nested(call.stdin, "shell")
        return [Effect("persist", "a scheduled job", Risk.SPEND_OR_SEND)]
    return [opaque("a scheduled job")]


def _destroyer(call: Call) -> list[Effect]:
    if call.has("-l", "--list", "-L", "--help") and call.program in ("fdisk", "sfdisk", "parted", "gdisk", "sgdisk"):
        return []
    return [destroys("device", _line(call))]


def _mount(call: Call) -> list[Effect]:
    return [changes("system", _line(call))] if call.operands else []


def _clock(call: Call) -> list[Effect]:
    if call.program == "date":
        setting = call.has("-s", "--set") or any(re.fullmatch(r"\d{8,12}(\.\d+)?", o) for o in call.operands)
        return [changes("system", "the clock")] if setting else []
    return [changes("system", _line(call))] if any(o.startswith("set") for o in call.operands) else []


def _named(call: Call) -> list[Effect]:
    """Programs that show without an argument and set with one."""
    return [changes("system", _line(call))] if call.operands else []


def _sysctl(call: Call) -> list[Effect]:
    setting = call.has("-w", "--write", "-p", "--load") or any("=" in o for o in call.operands)
    return [destroys("system", _line(call))] if setting else []


def _firewall(call: Call) -> list[Effect]:
    looks = call.has("-L", "-S", "--list", "--list-rules") or call.operands[:1] in (["status"], ["list"], ["show"])
    return [] if looks else [destroys("system", _line(call))]


def _journal(call: Call) -> list[Effect]:
    if call.program == "logrotate" and not call.has("-d", "--debug"):
        return [changes("process", "rotates logs")]
    if any(t.startswith(("--vacuum", "--rotate", "--flush")) for t in call.texts) or (
        call.program == "dmesg" and call.has("-c", "-C", "--clear")
    ):
        return [destroys("delete", "logs")]
    return []


def _history(call: Call) -> list[Effect]:
    if call.has("-c", "-d", "-w"):
        return [destroys("delete", "the command history")]
    return []


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
        return [destroys("delete", _line(call))]
    if words[:1] == ["send"] or "send" in words[1:2]:
        return [sends(_line(call))]
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
        return [changes("device", _line(call))]
    looks = (words and _DESKTOP_LOOKS.fullmatch(words[0])) or call.has("-l", "-m", "-d", "-q", "--list", "-g")
    acts = {"key", "type", "click", "windowkill", "windowactivate", "exec"} & set(words)
    if looks and not (call.program == "xdotool" and acts):
        return []
    if call.program in ("gio", "gsettings", "dconf", "defaults") and words[:1] in (["trash"],):
        return [paths.trashing(w) for w in words[1:]]
    if words[:1] in (["delete"], ["remove"], ["reset"], ["reset-recursively"]) or "windowkill" in words:
        return [destroys("delete", _line(call))]
    if words[:1] == ["exec"]:
        return [opaque(_line(call))]
    return [changes("device", _line(call))]


def _notify(call: Call) -> list[Effect]:
    return [changes("device", "shows a notification", undoable=True)]


def _screen(call: Call) -> list[Effect]:
    target = (call.operands or ["a screenshot"])[-1]
    return [paths.writing(target)]


def _spy(call: Call) -> list[Effect]:
    return [Effect("device", f"{call.program} records or listens", Risk.SPEND_OR_SEND)]


def _keys(call: Call) -> list[Effect]:
    """Programs that hand out secrets."""
    joined = " ".join(call.texts)
    if call.program == "ssh-add" and call.texts in (["-l"], ["-L"]):
        return []
    if call.program in ("ssh-keygen", "gpg", "gpg2") and not re.search(r"delete|export-secret|-y\b", joined):
        if re.search(r"--(list-keys|fingerprint|verify|version)|-k\b", joined) or call.has("-l"):
            return []
        return [changes("process", _line(call))]
    if re.search(r"delete|remove|\brm\b", joined):
        return [destroys("credential", _line(call))]
    return [Effect("credential", _line(call), Risk.SPEND_OR_SEND)]


def _openssl(call: Call) -> list[Effect]:
    verb = (call.texts or [""])[0]
    if (
        verb == "s_client"
        and all(a.sure for a in call.args)
        and call.stdin is not None
        and "\0" not in call.stdin
        and len(call.stdin.strip()) < 3
    ):
        return [fetches(call.value("-connect") or "an address")]
    if verb in ("s_client", "s_server"):
        return [sends(" ".join(call.texts[:3]))]
    if (
        verb in ("version", "list", "ciphers", "rand", "dgst", "prime", "speed", "x509", "verify")
        and call.value("-out") is None
    ):
        return call.reading()
    if call.value("-out"):
        return [
            paths.writing(call.value("-out") or ""),
            *(e for e in [paths.reading(call.value("-in") or "")] if e.risk),
        ]
    return call.reading()


def _media(call: Call) -> list[Effect]:
    if re.search(r"x11grab|avfoundation|v4l2|alsa|pulse|dshow", " ".join(call.texts)):
        return _spy(call)
    if call.program == "ffmpeg":  # with inputs only, it tells about them
        texts = call.texts
        last = texts[-1] if texts and not texts[-1].startswith("-") and (texts[-2:-1] not in (["-i"], ["-f"])) else None
        return [paths.writing(last)] if last and len(texts) > 1 else []
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


LOOKERS = """
        ps pgrep pstree top htop btop atop free vmstat iostat mpstat pidstat uptime uname hostid arch nproc
        lscpu lsmem lsblk blkid lspci lsusb lsmod modinfo lsof whoami id groups who w last lastlog users finger
        tty logname which whereis type man info apropos tldr env locale localectl loginctl hostnamectl
        sensors acpi upower nvidia-smi glxinfo inxi neofetch fastfetch screenfetch dmidecode hwinfo lshw sw_vers
        system_profiler vm_stat powertop jobs ulimit getconf lsb_release run-parts-list compgen hash alias-list
        times set-list xrandr-list pidof tasklist systeminfo ver findmnt swapon-list pactl-list clear tput
        ipconfig findstr getmac driverquery qwinsta query-user nbtstat pathping fc.exe where.exe chcp vol
        ioreg scutil airport sar uuidgen vcgencmd figlet toilet cowsay fortune lolcat getenforce sestatus
        smartctl iw ethtool
        iostat nstat tload slabtop numactl lstopo cpupower sysdig-inspect osqueryi glances bmon vnstat dstat
        sntp osx-cpu-temp
        fuser stty ttysize chage nginx apachectl lsns lsipc lsfd lslocks lslogins mcookie getopt namei
        mountpoint ldd nm objdump
        readelf size dumpkeys fc-list fc-match xdpyinfo xlsclients xwininfo xprop vainfo vulkaninfo clinfo wlr-randr
        return exit break continue shift wait unset local readonly shopt let read enable
        readarray mapfile getopts trap umask help logout fg bg caller disown complete bind suspend lpstat
        """

TABLE: dict[str, Handler] = {
    **table(looking, LOOKERS),
    **table(_process, "kill pkill killall killall5 xkill taskkill skill"),
    **table(_priority, "renice ionice-set cpulimit"),
    **table(_power, "shutdown reboot halt poweroff init telinit pm-suspend"),
    **table(_service, """
        systemctl service launchctl rc-service sc systemd-analyze initctl supervisorctl loginctl hostnamectl
        localectl busctl
        """),
    **table(_account, """
        useradd userdel usermod adduser deluser groupadd groupdel groupmod gpasswd passwd chpasswd chsh vipw
        visudo dscl net newgrp modprobe insmod rmmod kexec setenforce spctl csrutil tccutil nvram efibootmgr
        tmutil grub-install update-grub bcdedit vssadmin reg netsh fsutil regedit wevtutil diskpart cipher
        icacls takeown schtasks wmic mshta rundll32 regsvr32 certutil bitsadmin
        """),
    **table(_destroyer, """
        mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.vfat mkfs.btrfs mkfs.ntfs mke2fs mkswap wipefs fdisk
        sfdisk parted gdisk sgdisk cryptsetup badblocks hdparm blkdiscard losetup lvremove vgremove pvremove
        zpool zfs mdadm format diskutil tune2fs fsck fsck.ext4 e2fsck resize2fs swapoff debugfs
        """),
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
    **table(_keys, """
        security secret-tool pass gpg gpg2 ssh-keygen ssh-add keyctl kwallet-query op bw lpass vault cmdkey
        gopass keyring
        """),
    **table(_media, "ffmpeg convert magick mogrify sox pandoc lame montage compare"),
    **table(_download, "yt-dlp youtube-dl gallery-dl"),
    **table(_clock, "date timedatectl hwclock"),
    **table(_named, "hostname domainname swapon ulimit-set"),
    **table(_firewall, "iptables ip6tables nft ufw firewall-cmd pfctl auditctl aa-disable aa-teardown"),
    **table(_journal, "journalctl dmesg logrotate"),
    "printenv": _printenv,
    **table(_variables, "set export declare typeset"),
    "crontab": _crontab,
    "at": _at,
    "atq": _at,
    "atrm": _at,
    "batch": _at,
    "mount": _mount,
    "umount": _mount,
    "sysctl": _sysctl,
    "history": _history,
    "fc": _history,
    "openssl": _openssl,
}  # fmt: skip
