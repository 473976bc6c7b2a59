"""Which language a piece of code is in, when nobody says: by file name, first line, or what is written."""

from __future__ import annotations

import ast
import re
import warnings

_BY_ENDING = {
    "py": "python", "pyw": "python", "ipy": "python",
    "sh": "shell", "bash": "shell", "zsh": "shell", "command": "shell",
    "js": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "javascript", "sql": "sql",
    "applescript": "applescript", "scpt": "applescript", "ps1": "powershell", "psm1": "powershell",
}  # fmt: skip
_BY_PROGRAM = (
    (r"python|ipython", "python"),
    (r"node|deno|bun", "javascript"),
    (r"pwsh|powershell", "powershell"),
    (r"osascript", "applescript"),
    (r"(ba|z|da|k|fi)?sh", "shell"),
)
_SQL_STARTS = r"""
    select\b[^;]*(\bfrom\b|\d|') | insert\s+into\b | update\s+\S+\s+set\b | delete\s+(\w+\s+)?from\b
    | drop\s+(table|database|schema|view|index|user)\b | alter\s+table\b | truncate\s+table\b | pragma\s+\w
    | create\s+(or\s+replace\s+)?(temp\w*\s+)?(table|view|index|user|database|schema)\b | with\s+\w+\s+as\s*\(
    | grant\s+\w | merge\s+into\b | explain\s+(select|analyze|delete|update) | show\s+(tables|databases)\b
    | describe\s+\w+\s*; | copy\s+(\(|\w+\s+(from|to)\b) | exec\s+(xp_|sp_) | execute\s+immediate\b | begin\s*;
    | /\*!\d*
"""
_BY_CONTENT = (
    (
        r"(?im)^\s*(tell (application|app) \"|do shell script\b|end tell\b|display (dialog|notification) \""
        r"|set \w+ to |(set|get) volume |run script )",
        "applescript",
    ),
    (rf"(?isx)\A(\s|--[^\n]*\n|/\*(?!!).*?\*/)*({_SQL_STARTS})", "sql"),
    (
        r"(?m)(^|[|;{(=]\s*)[A-Z][a-z]+-[A-Z]\w+|\$env:\w|^\s*param\s*\(|\[[A-Z][\w.]+\]::|^\s*\$\w+\s+=|^&\s*[('\"]"
        r"|^powershell(\.exe)?\s+-",
        "powershell",
    ),
    (
        r"(?m)^\s*(const|let|var)\s+[\w{\[][^=\n]*=|=>\s*[{(\w]|\brequire\(['\"]|\bconsole\.(log|error)\("
        r"|^\s*(async\s+)?function\s+\w+\s*\(|^\s*import\s+.*\bfrom\s+['\"]|\bnew\s+[A-Z]\w+\(|\bdocument\.\w"
        r"|\b(process|localStorage|navigator|globalThis|Deno|Bun|Buffer)(\.\S*\(|\[|\.\$)|\bfetch\([`'\"]",
        "javascript",
    ),
)
_ONLY_JAVASCRIPT = re.compile(
    r"\b(console\.\w+|require|document\.\w+|process\.\w+|localStorage\.\w+|globalThis\W.*|setTimeout|atob|Deno\.\w+"
    r"|Bun\.\w+|Reflect\.\w+)[\[(]|\bfetch\([`'\"]"
)
_TELLING = (
    ast.Call,
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.For,
    ast.While,
    ast.With,
)


def guess(code: str, name: str = "") -> str:
    """One of the languages of ``classify``; shell when nothing else fits."""
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    first = code.lstrip("\ufeff").split("\n", 1)[0]
    if first.startswith("#!"):
        program = re.sub(r"^#!\s*(\S*/env\s+(-\S+\s+)*)?", "", first).split(" ")[0].rsplit("/", 1)[-1]
        for pattern, language in _BY_PROGRAM:
            if re.match(rf"({pattern})[\d.]*$", program):
                return language
    if re.search(r"(?m)^\s*(import [a-z_][\w.]*( as \w+)?(,.*)?|from [\w.]+ import .+)$", code) and "<<" not in code:
        return "python"
    if _starts_program(first):
        return "shell"
    if _is_python(code):
        return "python"
    head = code[:20_000]
    return next((language for pattern, language in _BY_CONTENT if re.search(pattern, head)), "shell")


def _starts_program(line: str) -> bool:
    """``node -e '…'``: the name of a program that is known here, and an argument that is no operator."""
    from zero_one.safety.risk.programs import TABLE

    words = line.split()[:2]
    if len(words) < 2 or words[0] not in TABLE or words[0] in ("import", "set", "copy", "open", "powershell"):
        return False
    return re.match(r"[-~/'\"$]|<<", words[1]) is not None


def _is_python(code: str) -> bool:
    """It parses and says something that only Python says: ``ls -la`` parses too, as a subtraction."""
    if re.match(r"\s*(%%?|!)\w", code):
        return True
    if len(code) > 40_000 or re.match(r"\s*(const|let|var)\s", code):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if _ONLY_JAVASCRIPT.search(code):
        return False
    return any(isinstance(node, _TELLING) for node in ast.walk(tree))
