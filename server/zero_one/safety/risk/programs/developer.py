"""Packages, containers and build tools."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, table
from zero_one.safety.risk.programs.known import is_known
from zero_one.safety.risk.words import Word

_PACKAGE_ACTS = set("set unset delete rm edit fix undo redo rollback add remove update create import export".split())
_PACKAGE_SETS = (
    "--set",
    "--add",
    "--append",
    "--prepend",
    "--remove",
    "--unset",
    "--fix",
    "--edit",
    "--write",
    "--global",
)
_WITHIN = set("run exec x dlx explore".split())
_OWN_RUNNERS = set("uv pdm poetry conda mamba bundle pipx npm pnpm yarn bun hatch rye".split())


def _command_within(call: Call, words: list[str], verb: str) -> list[Word] | None:
    """The command of ``poetry run rm x`` or ``npm explore p -- rm x``, where it is a program that the tables know."""
    if verb not in _WITHIN or call.program not in _OWN_RUNNERS:
        return None
    start = next((i for i, t in enumerate(call.texts) if t == verb), 0) + 1
    starts = (i for i in range(start, len(call.args)) if is_known(call.texts[i]) and not call.texts[i].startswith("-"))
    at = next(starts, None)
    return None if at is None else call.args[at:]


def _install(call: Call) -> list[Effect]:
    """Package managers. Installing runs other people's code, so every package is named."""
    if call.has("--dry-run", "--simulate", "--just-print") or (call.program in ("apt", "apt-get") and call.has("-s")):
        return []
    words = call.operands
    if (
        call.program
        in ("uv", "pip", "pip3", "conda", "mamba", "nix", "snap", "npm", "pnpm", "yarn", "poetry", "brew", "pipx")
        and words[:1]
        and words[0] in ("pip", "env", "cache", "services", "profile", "registry", "config", "environment")
        and len(words) > 1
    ):
        if words[1] in ("get", "ls", "list", "info", "dir", "show", "debug", "freeze", "check", "tree"):
            return []
        words = words[1:]  # `uv pip list`, `conda env remove`
    if call.program == "apt-mark" and words[:1] and words[0].startswith("show"):
        return []
    if call.program == "brew" and not words and call.texts:
        return []
    asking = {"rpm": "-q", "pacman": "-Q", "dpkg": "--get"}.get(call.program)
    if asking is not None and call.texts and call.texts[0].startswith(asking):
        return []
    verb = next((w for w in words if re.fullmatch(r"[a-z-]+", w)), "")
    if verb in ("exec", "x") and (told := call.value("-c", "--call")):
        call.reader.nested(told, "shell")
    line = f"{call.program} {' '.join(words[:3])}"
    looks = """
        list ls show info search view freeze outdated check policy depends rdepends why audit config env docs
        help version leaves deps cat home doctor whoami fund ping root bin prefix index inspect metadata tree
        query explain repolist provides history showpkg madison changelog download-only licenses pkg
        """.split()
    if call.program == "rpm" and any("%(" in t or "%{lua" in t for t in call.texts):
        return [opaque("a command run by rpm")]
    if (command := _command_within(call, words, verb)) is not None:
        call.reader.run(command, call.stdin)
        return [changes("process", line)]
    acts = set(words[1:]) & _PACKAGE_ACTS or any(t.startswith(_PACKAGE_SETS) for t in call.texts)
    if verb in ("config", "pkg", "history", "env", "docs", "home", "audit", "cache", "policy") and acts:
        return [changes("package", line)]
    if call.program in ("apt-cache", "dpkg-query", "apt-file", "pip-audit") or verb in looks:
        return (
            [fetches(line)]
            if verb not in ("config", "audit") or not call.has("set", "fix", "--fix")
            else [changes("package", line)]
        )
    if (
        call.program in ("dpkg", "rpm", "pacman")
        and call.has("-l", "-L", "-s", "-S", "-q", "-Q", "--list", "--status", "--listfiles")
        and not call.has("-i", "-r", "-R", "-P", "-e", "-U", "--install", "--remove", "--purge")
        and not any(t.startswith("-S") for t in call.texts if call.program == "pacman")
    ):
        return []
    if verb in ("publish", "upload", "login", "adduser", "token", "push", "owner", "yank", "deploy"):
        return [sends(line)]
    if verb in (
        "uninstall",
        "remove",
        "purge",
        "autoremove",
        "rm",
        "erase",
        "unpublish",
        "clean",
        "prune",
        "cleanup",
        "untap",
        "delete",
        "un",
        "uninject",
        "purge-all",
        "clean-all",
        "autoclean",
        "reset",
        "deprecate",
    ):
        return [destroys("package", w) for w in words[1:]] or [destroys("package", line)]
    if verb in ("run", "exec", "x", "dlx", "start", "test", "tool", "create", "init", "run-script", "t"):
        if words == ["run"]:
            return []  # npm lists its scripts
        own = verb in ("run", "run-script", "test", "t", "start", "init")
        return [changes("process", line)] if own else [Effect("package", line, Risk.SPEND_OR_SEND)]
    index = call.value("-i", "--index-url", "--extra-index-url", "--registry", "--trusted-host", "-f", "--find-links")
    remote = [w for w in words if re.search(r"://|^git\+|@git", w)]
    if index or remote:
        return [destroys("package", f"{(remote or words[1:] or [''])[0]} from {index or 'outside the usual registry'}")]
    return [changes("package", w) for w in words[1:]] or [changes("package", line)]


_KNOWN_TOOLS = re.compile(
    r"^(prettier|eslint|tsc|typescript|create-[\w-]+|vite|vitest|jest|playwright|serve|http-server|ruff|black|mypy|pytest|ts-node)(@|$)"
)


def _run_package(call: Call) -> list[Effect]:
    """A package is fetched and run at once: only tools that everybody knows are more than code from elsewhere."""
    name = (call.operands or ["a package"])[0]
    if call.texts in (["--version"], ["--help"]):
        return []
    known = Effect("package", name, Risk.SPEND_OR_SEND)
    return [known] if _KNOWN_TOOLS.match(name) else [known, opaque(f"the package {name}, run from elsewhere")]


_BREAKS_OUT = re.compile(
    r"--privileged|--pid[= ]host|--cap-add|--device|docker\.sock"
    r"|(-v|--volume|--mount)[= ]\S*?(/|~|\$HOME)(:|\s|,|etc|root|home)"
)


_DOCKER_LOOKS = set("ps images logs inspect version info stats top port history search events diff ls".split())
_DOCKER_NOUNS = set(
    """
    container image volume network system context config secret service node stack swarm plugin builder buildx manifest
    trust pod machine scout sbom checkpoint
    """.split()
)
_DOCKER_ASKS = set(
    "ls list inspect df ps logs top port stats history events info show services tasks version du".split()
)


def _docker(call: Call) -> list[Effect]:
    words = call.options("HcfplL", "--context --host --file --project-name --profile --env-file --log-level --config")[
        1
    ]
    verb = " ".join(words[:2])
    line = f"{call.program} {verb}"
    first, second = (*words, "", "")[:2]
    if first == "compose" or call.program == "docker-compose":
        first = next((w for w in words if w != "compose"), "")
        if first == "down" and call.has("-v", "--volumes"):
            return [destroys("delete", "volumes")]
        if first in ("config", "images", "ls", "ps", "logs", "top", "port", "events", "version", "stats"):
            return []
    if first in _DOCKER_LOOKS or (first in _DOCKER_NOUNS and second in _DOCKER_ASKS):
        return []
    if first in ("rm", "rmi", "prune", "kill") or re.search(r"\b(rm|prune|remove|leave|demote|revoke|reset)\b", verb):
        return [destroys("delete", line)]
    if first in ("push", "login"):
        return [sends(line)]
    joined = " ".join(call.texts)
    if first in ("run", "create", "exec"):
        if _BREAKS_OUT.search(joined):
            return [destroys("system", "a container with this machine's files or rights")]
        return [opaque(f"{line}: code inside a container")]
    return [changes("process", line)]


_ONLY_ASKS = re.compile(
    r"dependency:(tree|list|analyze)|help(:\S+)?|tasks|projects|dependencies|properties|--collect-only|--co|--fixtures"
    r"|--markers|--list\S*"
)


def _cmake_command(words: list[Word]) -> list[Word]:
    """``cmake -E``'s own names for what every machine can do."""
    ours = {"remove": "rm", "remove_directory": "rm", "make_directory": "mkdir", "rename": "mv", "copy": "cp"}
    first = words[0].text if words else ""
    if first in ("copy_directory", "copy_if_different", "create_symlink"):
        return [Word("cp"), *words[1:]]
    return [Word(ours.get(first, first)), *words[1:]] if words else []


def _build(call: Call) -> list[Effect]:
    words = call.operands
    if call.texts in (["-v"], ["--version"], ["-version"], ["-V"], ["--help"], ["-h"], ["tasks"], ["--list"], ["-l"]):
        return []
    if call.has("-n", "--dry-run", "--just-print") and call.program == "make" and "SHELL" not in " ".join(call.texts):
        return []
    if call.program == "cmake" and call.texts[:1] == ["-E"]:
        call.reader.run(_cmake_command(call.args[1:]), None)
        return []
    if call.program == "cmake" and call.has("-P"):
        return [opaque("a script run by cmake")]
    if any(re.match(r"(SHELL|CC|CXX|MAKE)=|.*\$\(shell|--eval", t) for t in call.texts):
        return [opaque(f"{call.program} with other programs")]
    told = [t for t in call.texts if t not in ("-q", "-v", "--quiet")]
    if told and all(_ONLY_ASKS.fullmatch(t) for t in told):
        return []
    if call.program in ("make", "gmake") and call.stdin is not None and call.has("-f", "--file", "--makefile"):
        if "\0" in call.stdin:
            return [opaque("a makefile that comes from elsewhere")]
        for line in re.findall(r"(?m)^\t[@-]*(.*)$", call.stdin):
            call.reader.nested(line.replace("$$", "$"), "shell")
    if words[:1] in (["clean"], ["distclean"]):
        return [destroys("delete", "what was built")]
    if words[:1] in (["publish"], ["deploy"], ["release"], ["login"]):
        return [sends(f"{call.program} {words[0]}")]
    return [changes("process", f"{call.program} {' '.join(words[:2])}".strip())]


def _go(call: Call) -> list[Effect]:
    verb = (call.operands or [""])[0]
    if call.program == "rustup" and "list" in call.operands:
        return []
    if verb in (
        "version",
        "env",
        "list",
        "doc",
        "vet",
        "tree",
        "metadata",
        "search",
        "fmt",
        "show",
        "check",
        "component",
    ) and not call.has("-w", "-u"):
        return [] if verb != "fmt" else [changes("process", "changes source files")]
    if verb in ("install", "get", "add"):
        return [changes("package", o) for o in call.operands[1:]] or [changes("package", call.program)]
    return _build(call)


def _checks(call: Call) -> list[Effect]:
    if any(
        re.match(r"--(init-hook|load-plugins|plugin|rulesdir|resolve-plugins|rule-dir|formatter=\W)", t)
        for t in call.texts
    ):
        return [opaque(f"code that {call.program} loads")]
    if call.program == "tsc" and not call.has(
        "--noEmit", "--showConfig", "--listFilesOnly", "--version", "-v", "--help", "-h"
    ):
        return [changes("process", "compiles to JavaScript")]
    if call.has("--fix", "--write", "-w", "--in-place", "-i", "--unsafe-fixes"):
        return [paths.writing(o) for o in call.operands] or [changes("process", "changes source files")]
    if call.program in ("black", "isort", "autopep8", "rustfmt", "gofmt") and not call.has(
        "--check", "--diff", "-l", "-d"
    ):
        return [paths.writing(o) for o in call.operands] or [changes("process", "changes source files")]
    return []


def _compile(call: Call) -> list[Effect]:
    return [paths.writing(call.value("-o") or "a.out")]


TABLE: dict[str, Handler] = {
    **table(_install, """
        pip pipx uv poetry pdm conda mamba npm pnpm yarn bun apt apt-mark apt-get apt-cache apt-file aptitude dpkg
        dpkg-query rpm yum dnf zypper pacman yay apk brew port snap flatpak gem bundle composer nuget choco
        winget scoop cpan cpanm pip-audit nix nix-env easy_install luarocks
        """),
    **table(_run_package, "npx uvx bunx pnpx"),
    **table(_docker, "docker podman docker-compose nerdctl"),
    **table(_build, """
        make gmake cmake ninja meson bazel gradle gradlew mvn ant tox nox pytest jest vitest mocha rake sbt just
        task
        """),
    **table(_go, "go cargo rustup"),
    **table(_checks, """
        ruff black isort mypy pyright flake8 pylint eslint prettier tsc autopep8 shellcheck gofmt rustfmt
        clang-format hadolint yamllint
        """),
    **table(_compile, "gcc g++ cc c++ clang clang++ rustc ld as javac"),
}  # fmt: skip
