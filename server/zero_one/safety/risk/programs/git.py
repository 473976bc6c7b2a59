"""Version control: what each command of git looks at, changes, sends and throws away."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, sends
from zero_one.safety.risk.programs.call import Call, Handler

_GIT_LOOKS = set(
    """
        status log diff show blame shortlog describe rev-parse rev-list ls-files ls-tree ls-remote cat-file grep
        whatchanged show-ref show-branch name-rev merge-base for-each-ref count-objects fsck verify-commit verify-tag
        version help cherry range-diff check-ignore check-attr check-mailmap check-ref-format var symbolic-ref diff-tree
        diff-index diff-files archive column get-tar-commit-id patch-id stripspace verify-pack show-index merge-tree
        """.split()
)
_GIT_SETTINGS = re.compile(
    r"(?i)(color|column|log|advice|i18n|format|status|blame|grep\.(linenumber|column|extended\w*|patterntype|threads)|user|author"
    r"|committer|init\.defaultbranch|safe\.directory|diff\.(?!external|\w+\.)|commit\.gpgsign|gc\.auto|pull|push\.default|fetch)\b.*"
    r"|core\.(quotepath|abbrev|autocrlf|filemode|ignorecase|precomposeunicode|preloadindex|untrackedcache|longpaths)\b.*"
    r"|(core\.pager|pager\.\w+|core\.editor)=(cat|less|false|true|vim?|nano)?|http\.\w*(timeout|buffer|lowspeed\w*)=.*"
)
"""Settings (``-c``) that only say how something is shown; any other may name a program."""
_GIT_GLOBAL = "--no-pager --literal-pathspecs --glob-pathspecs --no-optional-locks --bare -P -p --paginate".split()
_GIT_DESTROYS = set("clean filter-branch filter-repo prune update-ref".split())


def _git(call: Call) -> list[Effect]:
    words = list(call.texts)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("-C", "--git-dir", "--work-tree", "--namespace") and words:
            words.pop(0)
        elif option == "-c" and words:
            if not _GIT_SETTINGS.fullmatch(value := words.pop(0)):
                return [opaque(f"a setting that may run something: {value}")]
        elif option in ("--version", "--help", "-v", "-h", "--html-path", "--man-path", "--info-path", "--exec-path"):
            return []
        elif option not in _GIT_GLOBAL and not option.startswith(("--git-dir=", "--work-tree=", "--namespace=")):
            return [opaque(f"git {option}")]
    if not words:
        return []
    verb, rest = words[0], words[1:]
    has = set(rest).__contains__
    if has("--dry-run") or (has("-n") and verb in ("rm", "add", "mv", "push", "fetch", "prune", "clean")):
        return []
    line = "git " + " ".join(words[:4])
    if any(re.match(r"(ext|fd)::", r) for r in rest) or call.has("--upload-pack", "--receive-pack"):
        return [opaque(line)]
    if verb in _GIT_LOOKS:
        return _git_looking(call, verb, rest, line)
    if (verb == "submodule" and "deinit" in rest) or (
        verb in ("lfs", "annex") and {"prune", "drop", "dropunused"} & set(rest)
    ):
        return [destroys("delete", line)]
    if verb == "bisect" and rest[:1] == ["run"]:
        call.reader.run(call.args[len(call.args) - len(rest) + 1 :], None)
    if verb == "rebase" and (command := call.value("-x", "--exec")):
        call.reader.nested(command, "shell")
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


def _git_looking(call: Call, verb: str, rest: list[str], line: str) -> list[Effect]:
    if any(r.startswith(("-O", "--open-files", "--ext-diff", "--textconv", "--filters")) for r in rest):
        return [opaque(line)]
    target = call.value("--output") or (call.value("-o", "--output") if verb == "archive" else None)
    if target is not None and "--output-indicator" not in " ".join(rest):
        return [paths.writing(target)]
    operands = [r for r in rest if not r.startswith("-")]
    sets = verb == "symbolic-ref" and (len(operands) > 1 or "-d" in rest or "--delete" in rest)
    if sets or (verb == "fsck" and "--lost-found" in rest) or (verb == "merge-tree" and "--write-tree" in rest):
        return [changes("process", line)]
    return []


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


TABLE: dict[str, Handler] = {"git": _git}
