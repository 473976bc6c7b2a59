"""Programs that read, write, move and delete files."""

from __future__ import annotations

import re
from itertools import pairwise

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, destroys, opaque
from zero_one.safety.risk.programs.call import Call, Handler, table
from zero_one.safety.risk.programs.options import looking


def _rm(call: Call) -> list[Effect]:
    targets = call.operands or [paths.COMPUTED]
    return [paths.deleting(t) for t in targets]


def _trash(call: Call) -> list[Effect]:
    if call.program == "trash-empty":
        return [destroys("delete", "what is in the trash")]
    return [paths.trashing(t) for t in call.operands]


def _mv(call: Call) -> list[Effect]:
    target, sources = _target(call)
    return [e for s in sources for e in paths.moving(s, target)]


def _cp(call: Call) -> list[Effect]:
    target, sources = _target(call)
    return [e for s in sources for e in paths.copying(s, target)]


def _install(call: Call) -> list[Effect]:
    """Copies and sets modes at once."""
    options, operands = call.options("mogtS", "--mode --owner --group --target-directory")
    if any(name == "-d" for name, _ in options):
        return [paths.writing(o) for o in operands]
    mode = next((value for name, value in options if name in ("-m", "--mode")), "")
    effects = [e for s in operands[:-1] for e in paths.copying(s, operands[-1])]
    return [*effects, *(paths.protecting(o, mode) for o in operands[-1:])]


def _target(call: Call) -> tuple[str, list[str]]:
    named = call.value("-t", "--target-directory")
    operands = [o for o in call.operands if o != named]
    if named is not None:
        return named, operands
    return (operands[-1], operands[:-1]) if len(operands) > 1 else ("the current folder", operands or ["a file"])


def _write(call: Call) -> list[Effect]:
    return [paths.writing(o) for o in call.operands]


def _tee(call: Call) -> list[Effect]:
    return [paths.writing(o) for o in call.operands]


def _truncate(call: Call) -> list[Effect]:
    return [paths.emptying(o) for o in call.operands]


def _dd(call: Call) -> list[Effect]:
    parts = dict(t.split("=", 1) for t in call.texts if "=" in t)
    out: list[Effect] = []
    if "if" in parts:
        out.append(paths.reading(parts["if"]))
    if "of" in parts:
        out.append(paths.emptying(parts["of"]))
    return out


def _destroy(call: Call) -> list[Effect]:
    return [destroys("delete", f"{o}, past bringing back") for o in (call.operands or ["what it is given"])]


def _modes(call: Call) -> list[Effect]:
    operands = call.operands
    mode = operands[0] if operands else ""
    if call.program in ("chattr", "setfacl", "setcap"):
        return [destroys("system", f"{call.program} {' '.join(call.texts)}")]
    effects = [paths.protecting(o, mode) for o in operands[1:]]
    if call.has("-R") and (mode in ("000", "0", "777") or call.program != "chmod") and effects:
        return [destroys("system", f"permissions below {operands[-1]}")]
    return effects or [changes("process", "permissions")]


def _ln(call: Call) -> list[Effect]:
    target, sources = _target(call)
    if "/dev/null" in sources:
        return [paths.emptying(target)]
    return [*(e for e in map(paths.reading, sources) if e.risk), paths.writing(target)]


def _find(call: Call) -> list[Effect]:
    out: list[Effect] = []
    texts = call.texts
    where = call.operands[0] if call.operands else "."
    if "-delete" in texts:
        out.append(destroys("delete", f"what is found in {where}"))
    printing = ("-fprint", "-fprintf", "-fls", "-fprint0")
    out += [paths.writing(target) for option, target in pairwise(texts) if option in printing]
    for i, text in enumerate(texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((j for j in range(i + 1, len(texts)) if texts[j] in (";", "+", "\\;")), len(texts))
            call.reader.run(call.args[i + 1 : end], None)
    out += [e for e in map(paths.reading, _name_patterns(texts)) if e.risk]
    return out


def _name_patterns(texts: list[str]) -> list[str]:
    """Looking for a secret by name only tells that it is there; grepping inside is another matter (-exec)."""
    patterns = [t for o, t in pairwise(texts) if o in ("-name", "-iname", "-path", "-ipath")]
    read = any(t in ("-exec", "-execdir", "-ok") for t in texts)
    return [t for t in [*texts[:1], *(patterns if read else [])] if paths.is_secret(t)]


def _sort(call: Call) -> list[Effect]:
    target = call.value("-o", "--output")
    out = [e for e in map(paths.reading, call.operands) if e.risk]
    if target and "/dev/null" in call.operands:
        return [paths.emptying(target)]
    if call.has("--compress-program"):
        out.append(opaque("a compress program"))
    return [*out, paths.writing(target)] if target else out


_TAR_RUNS = """
    --checkpoint-action --to-command --use-compress-program --rsh-command --info-script
    --new-volume-script --rmt-command
    """.split()


def _tar(call: Call) -> list[Effect]:
    texts = call.texts
    mode = "".join(t.lstrip("-") for t in texts[:1] if not t.startswith("--"))
    if "--delete" in texts:
        return [destroys("delete", f"files of an archive ({' '.join(call.operands[:2])})")]
    out: list[Effect] = []
    if call.has(*_TAR_RUNS) or any(t.startswith("-I") for t in texts) or re.fullmatch(r"-?[a-zA-Z]*F[a-zA-Z]*", mode):
        return [opaque("a command run by tar")]
    if call.has("--remove-files"):
        out.append(destroys("delete", "the files that are packed"))
    out += [e for e in map(paths.reading, call.operands) if e.risk]
    listing = "t" in mode or "d" in mode or call.has("--list", "--diff", "--compare")
    if listing and not re.search(r"[xcruA]", mode) and "-F" not in texts:
        return out
    if "-F" in texts:
        return [opaque("a command run by tar")]
    if re.fullmatch(r"[a-zA-Z]*(xO|Ox)[a-zA-Z]*|[a-zA-Z]*x[a-zA-Z]*O[a-zA-Z]*|[a-zA-Z]*O[a-zA-Z]*x[a-zA-Z]*", mode):
        return out  # what is unpacked is printed
    return [*out, *_archive(call)]


def _archive(call: Call) -> list[Effect]:
    """Making an archive writes that file; unpacking one writes what it holds, which the code does not tell."""
    mode = call.texts[0].lstrip("-") if call.texts else ""
    target = call.value("-f", "--file")
    if target is None and re.fullmatch(r"[A-Za-z]+f", mode) and len(call.texts) > 1:
        target = call.texts[1]
    if target and ("c" in mode or call.has("--create")) and "x" not in mode:
        return [paths.writing(target)] if target != "-" else []
    return [changes("process", f"unpacks {target or 'an archive'}")]


def _unzip(call: Call) -> list[Effect]:
    if call.has("-l", "-t", "-v", "-Z", "-p"):
        return call.reading()
    return [*call.reading(), changes("process", f"unpacks {(call.operands or ['an archive'])[0]}")]


def _pack(call: Call) -> list[Effect]:
    if call.program == "zip" and call.has("-m", "--move", "-d", "--delete"):
        return [destroys("delete", "the files that are packed")]
    if call.program == "zip" and (call.has("--unzip-command") or "-TT" in call.texts):
        return [opaque("a command run by zip")]
    if any(re.match(r"-(sdel|df|dr)$", t) for t in call.texts) or call.operands[:1] == ["d"]:
        return [destroys("delete", "the files that are packed")]
    if call.program in ("7z", "7za", "rar", "unrar"):
        if call.operands[:1] and call.operands[0] in ("l", "t", "i", "v", "vt", "lb"):
            return call.reading()
    elif call.program != "zip" and call.has("-c", "--stdout", "-l", "-t", "--list", "--test"):
        return call.reading()
    return [*call.reading(), changes("process", f"{call.program} {' '.join(call.operands[:2])}".strip())]


def _editor(call: Call) -> list[Effect]:
    scripted = re.compile(r"\+(?!\d*$|/)|-\w*c$|--cmd|-[eE]?s$|-S|-(-eval|l|f|-script|-batch)\b")
    if any(scripted.match(t) for t in call.texts):
        return [opaque(f"commands given to {call.program}")]
    return [paths.writing(o) for o in call.operands] or [changes("process", f"opens {call.program}")]


def _yq(call: Call) -> list[Effect]:
    inplace = call.has("-i", "--in-place", "--inplace")
    return [paths.writing(o) for o in call.operands[1:]] if inplace else call.reading()


def _split(call: Call) -> list[Effect]:
    if (command := call.value("--filter")) is not None:
        call.reader.nested(command, "shell")
    return [changes("process", "pieces of " + (call.operands[0] if call.operands else "the input"))]


LOOKERS = """
        cat tac bat batcat head tail less more most nl grep egrep fgrep zgrep rg ag ack ugrep
        pdfgrep wc uniq cut tr paste join comm diff cmp colordiff sdiff ncdu df file
        md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum
        md5 cksum b2sum sum xxd hexdump od strings fold fmt pr column expand unexpand xmllint csvlook csvstat
        csvcut csvgrep csvsort look fd fdfind locate plocate mdfind mdls zcat zless zmore bzcat xzcat zstdcat
        rev col colrm colcrt ul shuf numfmt tsort pwd echo printf true false : sleep seq yes cal ncal expr bc factor
        units cd pushd popd dirs ffprobe identify exiftool mediainfo pdfinfo pdftotext pdffonts pdfimages
        hunspell aspell tree base64 base32 getfacl lsattr namei pathchk cloc tokei scc wdiff iconv
        """


def _attributes(call: Call) -> list[Effect]:
    """macOS: extended attributes; the quarantine mark is what protects from downloaded programs."""
    options, operands = call.options("", "")
    letters = {name[1:] for name, _ in options}
    if letters & {"c"} or (letters & {"d"} and "quarantine" in " ".join(operands)):
        return [destroys("system", f"attributes of {' '.join(operands[-1:])}")]
    if letters & {"d", "w"}:
        return [paths.writing(o) for o in operands[-1:]]
    return []


def _robocopy(call: Call) -> list[Effect]:
    options = {t.lower() for t in call.texts}
    if options & {"/mir", "/purge", "/mov", "/move"}:
        return [destroys("delete", f"what is only in {(call.operands[1:2] or ['the target'])[0]}")]
    return [] if "/l" in options else [changes("process", call.line)]


def _fallocate(call: Call) -> list[Effect]:
    return [paths.writing(o) for o in call.options("lo", "--length --offset")[1]]


def _metadata(call: Call) -> list[Effect]:
    """Names, sizes and times, never what is inside."""
    return []


TABLE: dict[str, Handler] = {
    **table(looking, LOOKERS),
    **table(_metadata, "ls ll la dir vdir stat du exa eza lsd basename dirname realpath readlink test [ [["),
    **table(_rm, "rm unlink del erase rd"),
    **table(_destroy, "shred srm sdelete sdelete64 wipe sfill scrub bleachbit"),
    **table(_trash, "trash trash-put trash-empty"),
    **table(_mv, "mv move rename prename ren"),
    **table(_cp, "cp copy ditto"),
    **table(_write, "touch mkdir mkfifo mknod mktemp rmdir md"),
    **table(_tee, "tee sponge"),
    **table(_modes, "chmod chown chgrp chattr setfacl setcap"),
    **table(_editor, "vi vim nvim vimdiff view nano emacs ed ex pico micro gedit kate"),
    **table(_pack, "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd zip 7z 7za rar unrar compress"),
    "install": _install,
    "xattr": _attributes,
    "robocopy": _robocopy,
    "fallocate": _fallocate,
    "patch": lambda call: [changes("process", "patches files")],
    "truncate": _truncate,
    "dd": _dd,
    "ln": _ln,
    "find": _find,
    "sort": _sort,
    "tar": _tar,
    "bsdtar": _tar,
    "unzip": _unzip,
    "yq": _yq,
    "split": _split,
    "csplit": _split,
}
