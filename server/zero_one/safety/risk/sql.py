"""Reading SQL with sqlglot: looking is free, changing asks, dropping and deleting destroy."""

from __future__ import annotations

import logging
import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, destroys, opaque, reads

_RUNS_CODE = re.compile(
    r"(?i)\b(xp_cmdshell|sp_oacreate|sp_executesql|load_extension|sys_exec|sys_eval|lo_import|lo_export|dblink\w*|pg_terminate_backend"
    r"|dbms_scheduler|utl_http|utl_file|writefile|edit|fts3_tokenizer|pg_reload_conf|pg_read_binary_file|pg_execute_server_program)\s*\("
    r"|\binto\s+(out|dump)file\b|\bcopy\b[^;]*\b(to|from)\s+program\b|\bexec(ute)?(\s+(xp_|sp_|immediate)|\s*\()"
)
_READS_FILE = re.compile(
    r"(?i)\b(load_file|pg_read_file|pg_ls_dir|readfile|openrowset|bfilename|read_csv|read_text|read_blob)\s*\(\s*'([^']*)'"
)


_CLIENT_RUNS = re.compile(
    r"\s*(\.(shell|system|output|once|import|read|load|restore|save|backup|clone|archive|cd|excel|dump)|\\[!iog]|\\copy)"
)


def read(code: str) -> list[Effect]:
    import sqlglot
    from sqlglot import errors, exp

    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    lines = [
        line
        for line in code.split("\n")
        if not re.match(r"\s*[.\\](tables|schema|d[a-z+]*|headers|mode|databases|l|timing|width|indexes|x|q)\b", line)
    ]
    out = [opaque(line.strip()[:40]) for line in lines if _CLIENT_RUNS.match(line)]
    code = re.sub(r"/\*!\d*(.*?)\*/", r"\1", "\n".join(lines), flags=re.S)  # MySQL runs what such comments hold
    if _RUNS_CODE.search(code):
        out.append(opaque("a program run by the database"))
    out += [paths.reading(m[2]) for m in _READS_FILE.finditer(code)]
    if not code.strip():
        return out
    try:
        statements = [s for s in sqlglot.parse(code) if s is not None]
    except errors.SqlglotError:
        return [*out, opaque("SQL that does not parse")]
    for statement in statements:
        for node in statement.walk():
            out += _node(node, exp)
        if isinstance(statement, exp.Command):
            out += _command(statement.sql())
    return out


def _node(node: object, exp: object) -> list[Effect]:
    from sqlglot import exp as e

    match node:
        case e.Drop() | e.TruncateTable():
            return [destroys("delete", _table(node))]
        case e.Delete():
            return [destroys("delete", f"rows of {_table(node)}")]
        case e.Update():
            where = node.args.get("where")
            trivial = where is None or _always(where)
            return (
                [destroys("delete", f"every row of {_table(node)}")]
                if trivial
                else [changes("process", f"changes {_table(node)}")]
            )
        case e.Merge() if re.search(r"(?i)\bthen\s+delete\b", node.sql()):
            return [destroys("delete", f"rows of {_table(node)}")]
        case e.Insert() | e.Merge() | e.Create() | e.Copy() | e.LoadData():
            replaces = isinstance(node, e.Create) and node.args.get("replace")
            return [destroys("delete", _table(node))] if replaces else [changes("process", f"changes {_table(node)}")]
        case e.Alter():
            drops = any(isinstance(a, e.Drop) for a in node.args.get("actions") or [])
            return [destroys("delete", _table(node))] if drops else [changes("process", f"changes {_table(node)}")]
        case e.Grant():
            return [destroys("system", "rights in the database")]
        case e.Into():
            return [changes("process", f"changes {_table(node)}")]
        case e.Attach() | e.Detach() | e.Set() | e.Use():
            return [changes("system", type(node).__name__.lower())]
        case e.Pragma():
            return [changes("system", node.sql())] if re.search(r"=|\(\s*(on|1|delete)", node.sql()) else []
        case e.Kill():
            return [changes("process", "a connection")]
        case e.Transaction() | e.Commit() | e.Rollback():
            return [reads("a transaction")]
    return []


def _always(where: object) -> bool:
    """``WHERE 1 = 1``, ``WHERE true`` and the like pick nothing out, also as one side of an OR."""
    from sqlglot import exp

    if not isinstance(where, exp.Expression):
        return False
    equals = where.find_all(exp.EQ)
    literal = any(isinstance(e.this, exp.Literal) and isinstance(e.expression, exp.Literal) for e in equals)
    return literal or isinstance(where.this, exp.Boolean | exp.Literal)


def _table(node: object) -> str:
    from sqlglot import exp

    if not isinstance(node, exp.Expression):
        return ""
    table = node.find(exp.Table)
    return table.name if table is not None and table.name else "a table"


def _command(text: str) -> list[Effect]:
    """What the parser passes through unread."""
    head = text.strip().split(None, 1)[0].upper() if text.strip() else ""
    if head in ("SHOW", "EXPLAIN", "DESCRIBE", "DESC", "ANALYZE", "HELP", "LIST"):
        rest = text.strip()[len(head) :]
        return read(rest.strip()) if head == "EXPLAIN" and re.search(r"(?i)\banalyze\b", rest) else []
    if head in ("VACUUM", "REINDEX", "OPTIMIZE", "CHECKPOINT"):
        return [changes("process", "the database file")]
    if head == "END" or head == "BEGIN":
        return []
    return [opaque(text.strip()[:40])]
