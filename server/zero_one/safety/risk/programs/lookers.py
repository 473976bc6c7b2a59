"""Programs that nothing else is known about than the words and options by which they look."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zero_one.safety.risk.programs.call import Call


@dataclass(frozen=True, slots=True)
class _Looker:
    """``words``: the first word, where there must be one; ``options``: all that may stand beside it."""

    options: str = r"(?!)"
    words: str = ""
    valued: str = ""
    most: int = 1_000
    needs: str = ""


_LOOKERS: dict[str, _Looker] = {
    "restic": _Looker(
        r"-[rqvclHhnp]+|--(repo|repository-file|password-file|json|latest|compact|tag|host|path|group-by|no-lock|no-cache"
        r"|quiet|verbose|mode|long|recursive|human-readable|ignore-case|newest|oldest|metadata|read-data|read-data-subset"
        r"|blob|tree|pack)(=.*)?",
        "snapshots|ls|stats|diff|find|list|check|version|help",
        "-r --repo --repository-file -p --password-file --latest --tag --host --path --group-by --mode",
    ),
    "borg": _Looker(
        r"-[vpaPe]+|--(short|json|json-lines|last|first|format|sort-by|prefix|glob-archives|list|info|verbose|progress|show-rc"
        r"|consider-checkpoints|content-only|pattern|exclude|same-chunker-params)(=.*)?",
        "list|info|diff|help",
        "--last --first --format --sort-by --prefix -P -a --glob-archives",
    ),
    "duplicity": _Looker(r"-v\d?|--(verbosity|no-encryption)(=.*)?", "collection-status|list-current-files"),
    "exiv2": _Looker(r"-[qvu]+|-[pPgK]\S*|--(verbose|quiet)", "pr|print", "-g -K"),
    "metaflac": _Looker(
        r"--(list|show-[\w-]+|block-(number|type)|no-filename|with-filename)(=.*)?", needs="--list --show-"
    ),
    "id3v2": _Looker(r"-[lR]|--list(-rfc822)?", needs="-l -R --list"),
    "eyeD3": _Looker(r"-[v]|--(verbose|no-color)"),
    "jhead": _Looker(r"-[vce]"),
    "mkvinfo": _Looker(r"-[vstaCz]+|--(summary|verbose|all|hexdump|track-info|continue|size|hex-positions)"),
    "mkvmerge": _Looker(r"-[iJ]|--identify|--identification-format", needs="-i -J --identify", most=2),
    "lsar": _Looker(r"-[lLjvt]+|--?(long|verylong|json|test)"),
    "qpdf": _Looker(
        r"--(check|check-linearization|show-[\w-]+|is-encrypted|requires-password|list-attachments|with-images)(=.*)?",
        needs="--check --show- --is-encrypted --requires-password --list-attachments",
        most=1,
    ),
    "antiword": _Looker(r"-[tfsw]|-\d+", valued="-w"),
    "catdoc": _Looker(r"-[awbxu]+"),
    "docx2txt": _Looker(most=1, needs="-"),
    "xlsx2csv": _Looker(r"-[aisndefmp]+|--(all|sheet|sheetname|delimiter)(=.*)?", valued="-s -n -d", most=1),
    "in2csv": _Looker(r"-[fsndIHzSK]+|--(names|sheet|format|no-inference)(=.*)?", valued="-f -s --sheet", most=1),
    "ncdump": _Looker(r"-[hcstkxi]+|-[vpnbl]\S*", valued="-v -p -n"),
    "h5dump": _Looker(r"-[HnApBi]+|-[dag]|--(header|contents|properties|dataset|attribute|group)(=.*)?"),
    "h5ls": _Looker(r"-[rvdfsahl]+"),
    "gdalinfo": _Looker(
        r"-(json|mm|nogcp|nomd|norat|noct|nofl|checksum|proj4|listmdd|mdd|wkt_format|sd|oo|if|approx_stats)"
    ),
    "ogrinfo": _Looker(r"-(so|al|q|ro|json|summary|features|nomd|noextent|limit)", needs="-so -ro -al -json"),
    "otool": _Looker(r"-[LlhvtTdDfaoIVX]+"),
    "tesseract": _Looker(
        r"-l|--(psm|oem|dpi|list-langs)", valued="-l --psm --oem --dpi", needs="- stdout --list-langs", most=2
    ),
    "jupyter": _Looker(r"--(to|stdout|no-input|no-prompt|log-level)(=.*)?", "nbconvert", "--to", needs="--stdout"),
    "jupyter-nbconvert": _Looker(r"--(to|stdout|no-input|no-prompt)(=.*)?", valued="--to", needs="--stdout"),
}


def told_to_look(call: Call) -> bool:
    """Whether each word of a command is written out and known to look. Any other command acts."""
    known = _LOOKERS.get(call.program)
    if known is None or not call.texts or not all(a.sure for a in call.args):
        return False
    valued, operands, skip = known.valued.split(), [], False
    for text in call.texts:
        if skip:
            skip = False
        elif len(text) > 1 and text.startswith("-"):
            if not re.fullmatch(known.options, text):
                return False
            skip = text in valued
        else:
            operands.append(text)
    if known.words and not (operands and re.fullmatch(known.words, operands[0])):
        return False
    if known.needs and not any(t == n or (n.endswith("-") and len(n) > 1 and t.startswith(n)) or t.startswith(n + "=")
                               for n in known.needs.split() for t in call.texts):  # fmt: skip
        return False
    return len([o for o in operands if o != "-"]) <= known.most
