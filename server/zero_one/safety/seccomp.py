"""System calls that no code of ours needs, as a filter program for the Linux kernel (classic BPF; seccomp(2)).

A namespace hides most of the machine, but not what has no namespace: kernel keyrings, the clock, virtual sockets to the
hypervisor, io_uring, other programs' memory. Numbers are those of the kernel's ``unistd`` tables.
"""

from __future__ import annotations

import errno
import platform
import struct

_DENIED = {  # name: (x86_64, aarch64)
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "unshare": (272, 97), "setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "acct": (163, 89), "quotactl": (179, 60),
    "syslog": (103, 116), "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "lookup_dcookie": (212, 18),
}  # fmt: skip
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SOCKET, _IOCTL, _CLONE = (41, 198), (16, 29), (56, 220)
_CLONE3 = 435
_FAMILIES = (1, 2, 10, 16)  # unix, IPv4, IPv6, netlink; a network namespace holds these, but not vsock
_TYPING = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX: putting words into a terminal
_NAMESPACES = 0x7E020000  # CLONE_NEW*

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST, _SECOND = 0, 4, 16, 24  # offsets in struct seccomp_data (little endian: low words)
_ALLOW = 0x7FFF0000


def program() -> bytes:
    """The filter, or nothing on a machine whose numbers are not known here."""
    machine = platform.machine()
    if machine not in _AUDIT:
        return b""
    column = list(_AUDIT).index(machine)
    out = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, _AUDIT[machine]), _refuse(errno.EPERM), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        out += [(_ABOVE, 0, 1, 0x40000000), _refuse(errno.EPERM)]  # the x32 numbers of the same calls
    for numbers in _DENIED.values():
        out += [(_EQUAL, 0, 1, numbers[column]), _refuse(errno.EPERM)]
    out += [(_EQUAL, 0, 1, _CLONE3), _refuse(errno.ENOSYS)]  # its flags lie in memory; libraries fall back to clone
    out += [(_EQUAL, 0, 3, _CLONE[column]), (_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, _NAMESPACES), _refuse(errno.EPERM)]
    # From here on the number may have been overwritten by an argument: load it again before each comparison.
    out += [(_LOAD, 0, 0, _NUMBER), (_EQUAL, 0, 4, _IOCTL[column]), (_LOAD, 0, 0, _SECOND)]
    out += [(_EQUAL, 1, 0, _TYPING[0]), (_EQUAL, 0, 1, _TYPING[1]), _refuse(errno.EPERM)]
    out += [(_LOAD, 0, 0, _NUMBER), (_EQUAL, 0, len(_FAMILIES) + 2, _SOCKET[column]), (_LOAD, 0, 0, _FIRST)]
    out += [(_EQUAL, len(_FAMILIES) - place, 0, family) for place, family in enumerate(_FAMILIES)]
    out += [_refuse(errno.EAFNOSUPPORT), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("<HBBI", *one) for one in out)


def _refuse(number: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, 0x00050000 | number)
