"""Processes, services, accounts, devices, desktop."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, table
from zero_one.safety.risk.programs.options import looking


def _process(call: Call) -> list[Effect]:
    if call.texts[:1] == ["-0"] or call.texts[:2] == ["-s", "0"]:
        return []
    if call.program in ("kill", "killall", "skill") and call.texts[:1] in (["-l"], ["-L"], ["--list"], ["--table"]):
        return []
    if call.program == "xkill" and call.texts:
        return [destroys("process", "all programs")]
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
    return [changes("process", call.line)]


def _power(call: Call) -> list[Effect]:
    if call.program == "shutdown" and call.texts[:1] in (["-c"], ["--show"], ["-k"]):
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
        return [Effect("persist", call.line, Risk.SPEND_OR_SEND)]
    stops = any(v in ("stop", "kill", "disable", "mask") for v in said) or "stop" in words
    if stops and ("*" in words or _PROTECTS.search(" ".join(words)) or "all" in words):
        return [destroys("system", call.line)]
    if any(v in ("mask", "disable", "unload", "bootout", "terminate-user", "kill-user", "delete") for v in said):
        return [destroys("system", call.line)]
    return [changes("process", call.line)]


_SETTINGS_LOOK = re.compile(
    r"(?i)/?-?(devices|getvar|query|q|get|show|list\w*|status|view|qe|gl|el|read|enum-logs|destinationinfo|latestbackup|users|shares|-?p)"
)


def _account(call: Call) -> list[Effect]:
    if call.program in _TWO_SIDED and not all(a.sure for a in call.args):
        return [destroys("system", call.line)]
    looks = any(_SETTINGS_LOOK.fullmatch(t) for t in call.texts[:3])
    acts = any(verbs.risk_of(t) in (Risk.DESTROY, Risk.CHANGE) for t in call.operands)
    if call.program in _TWO_SIDED and looks and not acts:
        secret = "key=clear" in call.texts or "sam" in [o.lower()[-3:] for o in call.operands]
        return [Effect("credential", call.line, Risk.SPEND_OR_SEND)] if secret else []
    return [destroys("system", call.line)]


_TWO_SIDED = set(
    """
    fastboot kmutil profiles systemextensionsctl
    reg net netsh schtasks wmic bcdedit vssadmin wevtutil certutil dscl nvram tmutil csrutil spctl fsutil passwd
    """.split()
)
"""Programs that show settings with one word and change the machine with another."""


def _ps(call: Call) -> list[Effect]:
    """With a bare ``e``, the variables of every program are shown."""
    shows = any(re.fullmatch(r"[a-zA-Z]*e[a-zA-Z]*", t) for t in call.texts[:1])
    return [Effect("credential", "variables of other programs", Risk.SPEND_OR_SEND)] if shows else looking(call)


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


_DISKS_LOOK: dict[str, re.Pattern[str]] = {
    "zpool": re.compile(r"(list|status|iostat|get|history|events|version)\b.*"),
    "zfs": re.compile(r"(list|get|diff|version|userspace|holds)\b.*"),
    "diskutil": re.compile(r"(?i)(list|info|apfs list|cs list|activity|listfilesystems)\b.*"),
    "mdadm": re.compile(r"(--detail|--examine|--query|-D|-E|-Q)\b.*"),
    "cryptsetup": re.compile(r"(status|luksDump|isLuks|luksUUID)\b(?!.*--dump).*"),
    "hdparm": re.compile(r"(-[IigtTvCrW]+ )*/dev/\S+|-[IitTC] .*"),
    "tune2fs": re.compile(r"-l \S+"),
    "losetup": re.compile(r"|(-a|--all|-l|--list|-j)\b.*|/dev/loop\d+"),
    "parted": re.compile(r"(-\w+ )*-l|--list|(-\w+ )*/dev/\S+ (unit \w+ )?print( free| all)?"),
    "btrfs": re.compile(r"\w+ (list|show|df|usage|stats|status)\b.*"),
    "debugfs": re.compile(r"-R ['\"]?(stat|ls|show_super_stats|stats)\b.*"),
    **dict.fromkeys(("fsck", "fsck.ext4", "e2fsck"), re.compile(r"-[nN]\b.*")),
    **dict.fromkeys(("fdisk", "sfdisk", "gdisk", "sgdisk"), re.compile(r"(-l|--list|-p|--print|-d|-L)( \S+)?")),
}
"""Disk tools by what they only show; anything else destroys."""


def _destroyer(call: Call) -> list[Effect]:
    looks = _DISKS_LOOK.get(call.program)
    if looks is not None and looks.fullmatch(" ".join(call.texts)):
        return []
    return [destroys("device", call.line)]


def _mount(call: Call) -> list[Effect]:
    if call.program == "mount" and call.texts[:1] in ([], ["-l"], ["-t"], ["-V"]) and len(call.texts) < 3:
        return []
    return [changes("system", call.line)]


def _clock(call: Call) -> list[Effect]:
    if call.program == "date":
        setting = call.has("-s", "--set") or any(re.fullmatch(r"\d{8,12}(\.\d+)?", o) for o in call.operands)
        return [changes("system", "the clock")] if setting else []
    if call.program == "hwclock":
        looks = all(
            t in ("-r", "--show", "--get", "-v", "--verbose", "-u", "--utc", "-l", "--localtime") for t in call.texts
        )
        return [] if looks else [changes("system", call.line)]
    looks = call.operands[:1] in ([], ["status"], ["show"], ["list-timezones"], ["timesync-status"], ["show-timesync"])
    return [] if looks else [changes("system", call.line)]


_NAMES_LOOK = re.compile(r"-[sfdiIAaynvV]+|--(show|summary|fqdn|domain|ip-address|all-\w+|short|long|version|raw)\S*")


def _named(call: Call) -> list[Effect]:
    """Programs that show without an argument and set with one."""
    looks = all(map(_NAMES_LOOK.fullmatch, call.texts))
    return (
        []
        if looks and not (call.program == "swapon" and call.has("-a", "-f", "-d"))
        else [changes("system", call.line)]
    )


def _sysctl(call: Call) -> list[Effect]:
    options = (t for t in call.texts if t.startswith("-"))
    looks = all(
        re.fullmatch(r"-[aAnNbdeqrXx]+|--(all|names|values|binary|ignore|quiet|pattern|deprecated)\S*", t)
        for t in options
    )
    setting = not looks or any("=" in o for o in call.operands)
    return [destroys("system", call.line)] if setting else []


def _firewall(call: Call) -> list[Effect]:
    acts = call.has(
        "-A", "-D", "-I", "-F", "-P", "-X", "-Z", "-N", "-R", "--flush", "--zero", "--append", "--delete", "--policy"
    )
    looks = call.has("-L", "-S", "--list", "--list-rules", "--list-all", "--get-active-zones", "--state")
    looks = looks or call.operands[:1] in (["status"], ["list"], ["show"]) or call.program == "iptables-save"
    return [] if looks and not acts else [destroys("system", call.line)]


def _journal(call: Call) -> list[Effect]:
    if call.program == "logrotate" and not call.has("-d", "--debug"):
        return [changes("process", "rotates logs")]
    if any(t.startswith(("--vacuum", "--rotate", "--flush")) for t in call.texts) or (
        call.program == "dmesg" and call.has("-c", "-C", "--clear")
    ):
        return [destroys("delete", "logs")]
    acts = any(
        re.match(r"--(setup-keys|update-catalog|relinquish|sync|smart|console-\w+)|-[nDE]$", t) for t in call.texts
    )
    return [changes("system", call.line)] if acts and not (call.program == "journalctl" and call.has("-n")) else []


def _history(call: Call) -> list[Effect]:
    if call.has("-c", "-d", "-w"):
        return [destroys("delete", "the command history")]
    if call.program == "fc" and not call.has("-l"):
        return [opaque("runs what was run before")]
    return [changes("process", call.line)] if call.has("-a", "-r", "-s", "-n") and call.program == "history" else []


def _keys(call: Call) -> list[Effect]:
    """Programs that hand out secrets."""
    joined = " ".join(call.texts)
    if call.program == "ssh-add" and call.texts in (["-l"], ["-L"]):
        return []
    if call.program in ("ssh-keygen", "gpg", "gpg2") and not re.search(r"delete|export-secret|-y\b", joined):
        if re.search(r"--(list-keys|fingerprint|verify|version)|-k\b", joined) or call.has("-l"):
            return []
        return [changes("process", call.line)]
    if re.search(r"delete|remove|\brm\b", joined):
        return [destroys("credential", call.line)]
    return [Effect("credential", call.line, Risk.SPEND_OR_SEND)]


def _openssl(call: Call) -> list[Effect]:
    if call.has("-engine", "-provider", "-provider-path", "-config"):
        return [opaque("code that openssl loads")]
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
        return [
            e for e in call.reading() if verb not in ("x509", "verify") or not re.search(r"\.(pem|crt|cer)$", e.what)
        ]
    if call.value("-out"):
        return [
            paths.writing(call.value("-out") or ""),
            *(e for e in [paths.reading(call.value("-in") or "")] if e.risk),
        ]
    return call.reading()


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
        zipinfo soxi resolvectl readelf size dumpkeys fc-list fc-match xdpyinfo xlsclients xwininfo xprop
        vainfo vulkaninfo clinfo wlr-randr
        return exit break continue shift wait unset local readonly shopt let read enable
        readarray mapfile getopts trap umask help logout fg bg caller disown complete bind suspend lpstat
        """

TABLE: dict[str, Handler] = {
    **table(looking, LOOKERS),
    "ps": _ps,
    "run-parts": lambda call: [opaque(f"runs {' '.join(call.operands)}")],
    **table(_process, "kill pkill killall killall5 xkill taskkill skill"),
    **table(_priority, "renice ionice-set"),
    **table(_power, "shutdown reboot halt poweroff init telinit pm-suspend"),
    **table(_service, """
        systemctl service launchctl rc-service sc systemd-analyze initctl supervisorctl loginctl hostnamectl
        localectl busctl
        """),
    **table(_account, """
        useradd userdel usermod adduser deluser groupadd groupdel groupmod gpasswd passwd chpasswd chsh vipw
        visudo dscl net newgrp modprobe insmod rmmod kexec setenforce spctl csrutil tccutil nvram efibootmgr
        tmutil grub-install update-grub bcdedit vssadmin reg netsh fsutil regedit wevtutil diskpart cipher
        kextunload kextload kmutil systemextensionsctl profiles bless fastboot icacls takeown schtasks wmic
        mshta rundll32 regsvr32 certutil bitsadmin
        """),
    **table(_destroyer, """
        mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.vfat mkfs.btrfs mkfs.ntfs mke2fs mkswap wipefs fdisk
        sfdisk parted gdisk sgdisk cryptsetup badblocks hdparm blkdiscard losetup lvremove vgremove pvremove
        zpool zfs mdadm format diskutil tune2fs fsck fsck.ext4 e2fsck resize2fs swapoff debugfs
        """),
    **table(_keys, """
        security secret-tool pass gpg gpg2 ssh-keygen ssh-add keyctl kwallet-query op bw lpass vault cmdkey
        gopass keyring
        """),
    **table(_clock, "date timedatectl hwclock"),
    **table(_named, "hostname domainname swapon ulimit-set"),
    **table(_firewall, """
        iptables ip6tables iptables-restore ip6tables-restore iptables-save nft ufw firewall-cmd pfctl auditctl
        aa-disable aa-teardown
        """),
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
