"""Modules that both look and act: what is known to look is listed, and everything else in them acts.

What has a table of its own in ``python_names`` (``os.remove``, ``subprocess.run``) is told there before this is asked.
"""

from __future__ import annotations

import re

from zero_one.safety.risk import verbs
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, sends

_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
_LOOKS: dict[str, tuple[str, str]] = {
    "os": (
        "change",
        """
        listdir scandir walk fwalk stat lstat fstat statvfs fstatvfs getcwd getcwdb getenv getenvb environ environb
        getpid
        getppid getuid geteuid getgid getegid getgroups getgrouplist getlogin getloadavg getpgid getpgrp getpriority
        getsid
        getresuid getresgid uname cpu_count process_cpu_count sched_getaffinity access path fspath fsencode fsdecode sep
        linesep pathsep name urandom getrandom get_terminal_size isatty readlink confstr sysconf pathconf fpathconf
        times
        strerror get_exec_path curdir pardir devnull extsep altsep PathLike DirEntry stat_result terminal_size error
        lseek
        read pread readv close closerange pipe wait waitpid waitstatus_to_exitcode ctermid ttyname device_encoding major
        minor getxattr listxattr get_inheritable set_inheritable get_blocking set_blocking supports_bytes_environ
        supports_follow_symlinks supports_fd supports_dir_fd supports_effective_ids fsync fdatasync sync _exit dup
        fdopen
        open chdir fchdir umask putenv unsetenv confstr_names sysconf_names login_tty cpu register_at_fork
        """,
    ),
    "shutil": (
        "change",
        """
        which disk_usage get_terminal_size get_archive_formats get_unpack_formats ignore_patterns Error SameFileError
        SpecialFileError ReadError
        """,
    ),
    "subprocess": (
        "opaque",
        """
        CalledProcessError TimeoutExpired SubprocessError CompletedProcess list2cmdline STARTUPINFO
        """,
    ),
    "ctypes": (
        "opaque",
        """
        POINTER pointer byref sizeof Structure Union BigEndianStructure LittleEndianStructure create_string_buffer
        create_unicode_buffer addressof alignment util string_at wstring_at cast Array wintypes get_errno CFUNCTYPE
        ArgumentError py_object resize
        """,
    ),
    "socket": (
        "send",
        """
        gethostname getfqdn gethostbyname gethostbyname_ex getaddrinfo gethostbyaddr getservbyname getservbyport
        inet_aton
        inet_ntoa inet_pton inet_ntop ntohs ntohl htons htonl if_nameindex if_nametoindex if_indextoname socket
        getdefaulttimeout setdefaulttimeout has_ipv6 error timeout gaierror herror getnameinfo getprotobyname socketpair
        SocketType AddressFamily SocketKind create_connection has_dualstack_ipv6 close connect connect_ex bind listen
        accept
        recv recvfrom recv_into send sendall sendto sendmsg sendfile setsockopt getsockopt settimeout gettimeout
        setblocking
        getsockname getpeername shutdown makefile fileno detach family type proto
        """,
    ),
    "importlib": ("opaque", "import_module metadata resources util reload abc invalidate_caches"),
    "importlib.util": ("opaque", "find_spec cache_from_source source_from_cache resolve_name"),
    "pkgutil": ("opaque", "iter_modules walk_packages get_data ModuleInfo iter_importers"),
    "pydoc": ("opaque", "render_doc plain help getdoc splitdoc synopsis describe doc apropos"),
    "webbrowser": ("opaque", "open open_new open_new_tab get Error"),
    "winreg": (
        "change",
        """
        OpenKey OpenKeyEx QueryValue QueryValueEx QueryInfoKey EnumKey EnumValue ConnectRegistry CloseKey
        ExpandEnvironmentStrings HKEYType
        """,
    ),
    "signal": (
        "change",
        """
        signal getsignal Signals Handlers strsignal sigwait pause default_int_handler setitimer getitimer valid_signals
        alarm siginterrupt
        """,
    ),
    "logging.config": ("opaque", ""),
    "logging.handlers": ("send", "MemoryHandler QueueHandler QueueListener BufferingHandler"),
    "pickle": ("opaque", "dumps dump PickleError PicklingError UnpicklingError Pickler"),
    "marshal": ("opaque", "dumps dump version"),
    "smtplib": ("send", "SMTPException SMTPAuthenticationError SMTPResponseException"),
    "socketserver": ("send", "BaseRequestHandler StreamRequestHandler DatagramRequestHandler ThreadingMixIn"),
    "http.server": ("send", "BaseHTTPRequestHandler SimpleHTTPRequestHandler"),
    "multiprocessing.connection": ("send", "wait Connection"),
    "rlcompleter": ("opaque", ""),
    "bdb": ("opaque", ""),
    "code": ("opaque", "compile_command"),
    "tensorflow.io.gfile": ("destroy", "exists glob isdir listdir stat walk GFile join"),
    "pexpect": ("send", "EOF TIMEOUT"),
}
"""Module: what is thought of a function that is not listed, and the functions and classes that look."""
_GUARDS = {module: (default, frozenset(names.split())) for module, (default, names) in _LOOKS.items()}
_PLAIN_PRIVATE = frozenset(
    "_collections_abc _weakref _weakrefset _thread _strptime _csv _json _random _struct __future__".split()
)


def guarded(name: str) -> Effect | None:
    """The effect of a function of such a module that is not known to look; None where there is nothing to say."""
    parts = name.replace("()", "").split(".")
    if parts[0].startswith("_") and parts[0] not in _PLAIN_PRIVATE and len(parts) > 1 and parts[0] not in ("_", "__"):
        return opaque(f"the inside of Python ({name})")
    for length in (3, 2, 1):
        module = ".".join(parts[:length])
        if module in _GUARDS and len(parts) > length:
            return _judged(module, parts[length], name)
    return None


_METHODS: dict[str, tuple[str, str]] = {
    "mailbox": ("destroy", "remove discard clear pop popitem remove_folder"),
    "wmi": (
        "destroy",
        "Reboot Shutdown Win32Shutdown Terminate Delete Delete_ Format StopService Uninstall Create Change Rename",
    ),
    "sqlite3": ("opaque", "load_extension enable_load_extension"),
    "tkinter": ("opaque", "eval evalfile call createcommand send"),
    "psutil": ("change", "suspend resume rlimit cpu_affinity ionice"),
    "pyarrow": ("destroy", "delete_dir delete_dir_contents delete_root_dir_contents delete_file"),
    "pexpect": ("opaque", "sendline sendcontrol"),
    "telnetlib": ("send", "write"),
    "tensorflow": ("destroy", "rmtree remove delete_recursively"),
}
"""Package: what these methods of its objects do, however the object was come by."""
_ACTS = {module: (default, frozenset(names.split())) for module, (default, names) in _METHODS.items()}


def acting_method(name: str) -> Effect | None:
    """The effect of a method of a package that looks in all its other methods."""
    parts = name.replace("()", "").split(".")
    default, methods = _ACTS.get(parts[0], ("", frozenset()))
    if len(parts) < 2 or parts[-1] not in methods:
        return None
    if default == "opaque":
        return opaque(name)
    if default == "send":
        return sends(name)
    return (
        destroys("process" if parts[0] == "wmi" else "delete", name)
        if default == "destroy"
        else changes("process", name)
    )


def _judged(module: str, function: str, name: str) -> Effect | None:
    default, looking = _GUARDS[module]
    if function in looking or _CONSTANT.fullmatch(function) or (module == "ctypes" and function.startswith("c_")):
        return None
    if default == "opaque":
        return opaque(name)
    if default == "destroy" or verbs.risk_of(function) is Risk.DESTROY:
        return destroys("delete", name)
    return sends(name) if default == "send" else changes("process", name)
