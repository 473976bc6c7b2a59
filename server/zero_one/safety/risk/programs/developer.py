"""Version control, packages, containers, build tools and databases."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler, table

_GIT_LOOKS = set(
    """
        status log diff show blame shortlog describe rev-parse rev-list ls-files ls-tree ls-remote cat-file grep
        whatchanged show-ref show-branch name-rev merge-base for-each-ref count-objects fsck verify-commit
        version help cherry range-diff check-ignore check-attr var symbolic-ref diff-tree diff-index archive
        bugreport
        """.split()
)
_GIT_DESTROYS = set("clean filter-branch filter-repo prune update-ref".split())


def _git(call: Call) -> list[Effect]:
    words = list(call.texts)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("-C", "-c", "--git-dir", "--work-tree") and words:
            value = words.pop(0)
            if option == "-c" and re.match(
                r"(alias\.|core\.(pager|editor|sshcommand|fsmonitor|hookspath)|\S*\.(cmd|command))", value, re.I
            ):
                return [opaque(f"a command inside git: {value}")]
    if not words:
        return []
    verb, rest = words[0], words[1:]
    has = set(rest).__contains__
    if has("--dry-run") or (has("-n") and verb in ("rm", "add", "mv", "push", "fetch", "prune", "clean")):
        return []
    line = "git " + " ".join(words[:4])
    if verb in _GIT_LOOKS:
        return (
            [opaque(line)] if any(r.startswith(("--upload-pack", "--output", "-O", "--ext-diff")) for r in rest) else []
        )
    if (verb == "submodule" and "deinit" in rest) or (
        verb in ("lfs", "annex") and {"prune", "drop", "dropunused"} & set(rest)
    ):
        return [destroys("delete", line)]
    if verb == "rm":
        kept = has("--cached")
        return [changes("process", line)] if kept else [paths.deleting(r) for r in rest if not r.startswith("-")]
    if verb in _GIT_DESTROYS:
        looking = (
            has("-n") or has("--dry-run") or (verb == "clean" and any(re.fullmatch(r"-[a-z]*n[a-z]*", r) for r in rest))
        )
        return [] if looking else [destroys("delete", line)]
    if verb in ("push", "send-email", "request-pull"):
        forced = any(
            r in ("-f", "--force", "--delete", "-d", "--mirror", "--prune") or r.startswith(("+", ":", "--force"))
            for r in rest
        )
        return [destroys("send", line)] if forced else [sends(line)]
    if verb == "reset":
        return (
            [destroys("delete", "uncommitted changes")]
            if has("--hard") or has("--merge")
            else [changes("process", line)]
        )
    if verb in ("checkout", "restore", "switch"):
        drops = has("--") or has(".") or has("-f") or has("--force") or has("--discard-changes") or verb == "restore"
        return (
            [destroys("delete", "uncommitted changes")] if drops and not has("--staged") else [changes("process", line)]
        )
    if verb in (
        "branch",
        "tag",
        "remote",
        "stash",
        "worktree",
        "reflog",
        "config",
        "notes",
        "submodule",
        "bisect",
        "gc",
    ):
        return _git_listing(call, verb, rest, line)
    return [changes("process", line)]


def _git_listing(call: Call, verb: str, rest: list[str], line: str) -> list[Effect]:
    if verb in ("stash", "reflog") and rest[:1] in (["drop"], ["clear"], ["expire"], ["delete"]):
        return [destroys("delete", line)]
    if verb in ("branch", "tag") and any(r in ("-d", "-D", "--delete") for r in rest):
        return [destroys("delete", line)]
    if verb == "gc":
        return [destroys("delete", line)] if any("prune" in r for r in rest) else [changes("process", line)]
    if verb == "worktree" and rest[:1] == ["remove"]:
        return [destroys("delete", line)]
    if verb == "config":
        for value in (r.lstrip("!") for r in rest if r.startswith("!")):
            call.reader.nested(value, "shell")  # an alias that is a command
    if (
        verb == "config"
        and any(re.match(r"(alias\.|core\.|credential\.|url\.|http\.)", r) for r in rest)
        and len(rest) > 1
        and "--get" not in rest
    ):
        return [Effect("persist", line, Risk.SPEND_OR_SEND)]
    if verb == "submodule" and rest[:1] == ["foreach"]:
        return [opaque(line)]
    operands = [r for r in rest if not r.startswith("-")]
    if (
        verb == "config"
        and len(operands) == 1
        and not any(r.startswith(("--unset", "--remove", "--edit", "-e", "--add")) for r in rest)
    ):
        return []
    if verb == "tag" and any(r.startswith(("--sort", "--contains", "--points-at", "--merged", "-n")) for r in rest):
        return []
    if verb == "branch" and any(
        r.startswith(("--contains", "--merged", "--no-merged", "--sort", "--show-current", "-a", "-r")) for r in rest
    ):
        return [] if not any(r in ("-m", "-M", "-f") for r in rest) else [changes("process", line)]
    looks = {"list", "show", "get-url", "status", "log", "view"}
    if (
        (not operands and verb != "stash")
        or (operands[:1] and operands[0] in looks)
        or any(r in ("-l", "--list", "--get", "-v", "-vv") for r in rest)
    ):
        return []
    return [changes("process", line)]


def _install(call: Call) -> list[Effect]:
    """Package managers. Installing runs other people's code, so every package is named."""
    if call.has("--dry-run", "--simulate", "--just-print") or (call.program in ("apt", "apt-get") and call.has("-s")):
        return []
    words = call.operands
    if (
        call.program in ("uv", "conda", "mamba", "nix", "snap", "npm", "pnpm", "yarn", "poetry", "brew", "pipx")
        and words[:1]
        and words[0] in ("pip", "env", "cache", "services", "profile", "registry", "config", "environment")
        and len(words) > 1
    ):
        if words[1] in ("get", "ls", "list", "info", "dir", "show"):
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
    line = f"{call.program} {' '.join(words[:3])}"
    looks = """
        list ls show info search view freeze outdated check policy depends rdepends why audit config env docs
        help version leaves deps cat home doctor whoami fund ping root bin prefix index inspect metadata tree
        query explain repolist provides history showpkg madison changelog download-only licenses pkg
        """.split()
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


def _docker(call: Call) -> list[Effect]:
    words = call.operands
    verb = " ".join(words[:2])
    line = f"{call.program} {verb}"
    first = words[0] if words else ""
    if first == "compose" or call.program == "docker-compose":
        first = next((w for w in words if w != "compose"), "")
        if first == "down" and call.has("-v", "--volumes"):
            return [destroys("delete", "volumes")]
    if first in (
        "ps",
        "images",
        "logs",
        "inspect",
        "version",
        "info",
        "stats",
        "top",
        "port",
        "history",
        "search",
        "events",
        "diff",
        "config",
        "ls",
        "context",
    ):
        return []
    if len(words) > 1 and words[1] in ("ls", "list", "inspect", "df"):
        return []
    if first in ("rm", "rmi", "prune", "kill") or re.search(r"\b(rm|prune|remove)\b", verb):
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


def _build(call: Call) -> list[Effect]:
    words = call.operands
    if call.texts in (["-v"], ["--version"], ["-version"], ["-V"], ["--help"], ["-h"], ["tasks"], ["--list"], ["-l"]):
        return []
    if call.has("-n", "--dry-run", "--just-print") and call.program == "make" and "SHELL" not in " ".join(call.texts):
        return []
    if any(re.match(r"(SHELL|CC|CXX|MAKE)=", t) for t in call.texts):
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
    "git": _git,
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
