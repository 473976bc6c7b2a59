"""Reading SQL with sqlglot: looking is free, changing asks, dropping and deleting destroy."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, reads, sends

if TYPE_CHECKING:
    from sqlglot import exp

_RUNS_CODE = re.compile(
    r"(?i)\b(xp_cmdshell|sp_oacreate|sp_executesql|load_extension|sys_exec|sys_eval|lo_import|lo_export|dblink\w*|pg_terminate_backend"
    r"|dbms_scheduler|writefile|edit|fts3_tokenizer|pg_reload_conf|pg_read_binary_file|pg_execute_server_program)\s*\("
    r"|\b(utl_\w+|dbms_(scheduler|job|java|xslprocessor|advisor|lob|pipe))\."
    r"|\binto\s+(out|dump)file\b|\bcopy\b[^;]*\b(to|from)\s+program\b|\bexec(ute)?(\s+(xp_|sp_|immediate)|\s*\()"
)
_READS_FILE = re.compile(
    r"(?i)\b(load_file|pg_read_file|pg_ls_dir|readfile|openrowset|bfilename|read_csv|read_text|read_blob)(?:_auto)?\s*\(\s*'([^']*)'(\s*\|\|)?"
)


_CLIENT_SHOWS = re.compile(
    r"\s*(\.(tables|schema|databases|dbinfo|dump|indexes|indices|headers?|mode|width|timer|stats|show|nullvalue|separator|eqp|explain"
    r"|echo|bail|changes|help|version|vfslist|fullschema|lint|limit|sha3sum|exit|quit|q|d)\b[^\\|]*"
    r"|(\\(d[a-zA-Z]*\+?|l\+?|z|conninfo|timing|x|pset|echo|qecho|q|h|\?|encoding|sf|sv|a|t|H|f|C|errverbose|unset)\b[^\\|`]*)+)$"
)
"""What a database's client only shows or sets for itself, by the whole line."""
_CLIENT_RUNS = re.compile(
    r"^\s*(\.\w+|\\\S)|\\(!|g\w*\s*\||gexec|gset|g\s+\S|i\b|ir\b|o\b|w\b|e\b|copy|lo_|setenv|watch|s\b|\.|T\b|P\b)"
)


def read(code: str) -> list[Effect]:
    from sqlglot import exp

    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    lines = [line for line in code.split("\n") if not _CLIENT_SHOWS.match(line)]
    out = [opaque(line.strip()[:40]) for line in lines if _CLIENT_RUNS.search(line)]
    lines = [re.sub(r"\\(g|gx|G)\s*$", ";", line) for line in lines]
    code = re.sub(r"/\*!\d*(.*?)\*/", r"\1", "\n".join(lines), flags=re.S)  # MySQL runs what such comments hold
    if _RUNS_CODE.search(code):
        out.append(opaque("a program run by the database"))
    out += [_of_the_server(m[1], m[2], m[3]) for m in _READS_FILE.finditer(code)]
    if not code.strip():
        return out
    if len(code) > 16_000:
        return [*out, opaque("SQL too long to be read")]
    for text in _explained(code):
        statements = _parsed(text)
        if statements is None:
            return [*out, opaque("SQL that does not parse")]
        for statement in statements:
            found = [effect for node in statement.walk() for effect in _node(node)]
            if isinstance(statement, exp.Command):
                found += _command(statement.sql())
            elif re.match(r"(?i)(re)?(index|lock)\b", statement.sql()):
                found.append(changes("process", statement.sql()[:40]))
            elif not isinstance(statement, _looking_statements()) and not found:
                found.append(opaque(statement.sql()[:40]))  # `SHUTDOWN` is a column to a lenient parser
            out += found
    return out


def _of_the_server(function: str, path: str, joined: str | None) -> Effect:
    """Files are read on the database's machine, with its rights; the embedded ones read ours."""
    if re.match(r"(?i)pg_|load_file|bfilename|openrowset", function):
        return Effect("credential", path, Risk.SPEND_OR_SEND)
    if re.match(r"\w+://", path):
        return sends(path) if joined else fetches(path)
    return paths.reading(path)


_EXPLAIN = re.compile(
    r"(?is)^\s*(explain|summarize|profile)\b(\s+(query\s+plan|analyze|verbose|extended|formatted|format\s*=\s*\w+|\([^()]*\)))*\s*(for\s+)?"
)


def _explained(code: str) -> list[str]:
    """Statements without the word that only asks for a plan. With ``ANALYZE`` it is run; without, it is not."""
    if not re.search(r"(?i)\b(explain|summarize|profile)\b", code):
        return [code]
    out: list[str] = []
    for text in _statements(code):
        match = _EXPLAIN.match(text)
        if match is None:
            out.append(text)
        elif re.search(r"(?i)\banalyze\b", match[0]) or match[1].lower() != "explain":
            out.append(text[match.end() :])
    return out


def _statements(code: str) -> list[str]:
    """Parted at semicolons outside of quotes and comments."""
    parts = re.findall(r"(?:'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|\$\w*\$.*?\$\w*\$|[^;])+", code, re.S)
    return [p for p in parts if p.strip()]


def _parsed(code: str) -> list[exp.Expr] | None:
    """The statements in the first dialect that reads all of it."""
    import sqlglot
    from sqlglot import errors

    # Long texts are tried less often: each try costs.
    for dialect in (
        (None, "postgres") if len(code) > 8000 else (None, "postgres", "tsql", "mysql", "duckdb", "sqlite", "snowflake")
    ):
        try:
            return [s for s in sqlglot.parse(code, dialect=dialect) if s is not None]
        except errors.SqlglotError:
            continue
        except (AttributeError, TypeError, ValueError, IndexError):
            continue  # a parser that trips over what it reads has not read it
    return None


@lru_cache(maxsize=1)
def _looking_statements() -> tuple[type, ...]:
    from sqlglot import exp

    names = """
        Select SetOperation Union Values Subquery Table Describe Show Analyze Pragma Use Set Transaction Commit Rollback
    """
    return tuple(getattr(exp, name) for name in names.split() if hasattr(exp, name))


_CHANGING_FUNCTIONS = re.compile(
    r"(?i)^(nextval|setval|set_config|pg_(reload|rotate|switch|create|drop|advisory_lock|cancel|start|stop|promote)\w*|lo_\w+"
    r"|last_insert_id|get_lock|release_lock|sleep_and_\w+|txid_\w+set)$"
)
_PRAGMA_LOOKS = re.compile(
    r"(?i)pragma (\w+\.)?((table_x?info|table_list|index_x?info|index_list"
    r"|foreign_key_(list|check)|integrity_check|quick_check"
    r"|database_list|collation_list|function_list|module_list|pragma_list|compile_options|show_tables\w*|storage_info|database_size)(\s*\([^()]*\))?"
    r"|(?!optimize|wal_checkpoint|incremental_vacuum|shrink_memory)\w+)\s*;?"
)
_FUNCTIONS_THAT_LOOK = re.compile(
    r"(?i)(pg_(size_pretty|\w*size|get_\w+|stat_\w+|backend_pid|postmaster_start_time|conf_load_time|is_in_recovery|last_\w+|blocking_pids"
    r"|typeof|column_size|table_is_visible|current_\w+|sleep)|sqlite_(version|source_id|compileoption\w*)|(json|jsonb|array|list|map|struct|regexp"
    r"|regex|str|string|text|date|time|datetime|timestamp|to|is|has|st|make|bit|row|percentile|approx|arg|median|quantile|array|current|inet|host"
    r"|format|quote|obj|col|shobj|object|schema|database|version|user|connection|system|unix|utc|epoch|julian|month|day|year|week|weekday"
    r"|hour|minute|second|last_day|add|sub|from|parse|try|safe|base64|hex|unhex|md5|sha\d*|crc32|soundex|levenshtein|similarity|word|ts|plainto"
    r"|phraseto|websearch|unaccent|range|generate|unnest|width|trunc|round|ceil|floor|abs|sign|mod|power|sqrt|log\w*|exp|ln|sin|cos|tan|pi"
    r"|degrees|radians|random|rand|uuid\w*|gen_random_uuid|newid|total\w*|changes|rowid|instr|printf|char\w*|ascii|unicode|len\w*|substr\w*"
    r"|replace|reverse|repeat|lpad|rpad|trim|ltrim|rtrim|upper|lower|initcap|concat\w*|coalesce|ifnull|nvl\w*|nullif|iif|isnull|decode|choose"
    r"|greatest|least|typeof|likely|unlikely|glob|like\w*|match|bm25|snippet|highlight|rank|dense_rank|ntile|lag|lead|first\w*|last_value|nth_value"
    r"|cume_dist|count\w*|sum\w*|avg|min\w*|max\w*|std\w*|var\w*|corr|covar\w*|group_concat|any_value|bool_\w+|every|grouping\w*|mode"
    r"|find_in_set|field|elt|inet_\w+|isjson|openjson|(table|index|foreign_key)_\w+|julianday|strftime|age|extract|histogram|summarize|glob|read_(csv|json|parquet)\w*"
    r"|parquet_\w+|sniff_csv|duckdb_\w+|pragma_\w+|dbms_metadata|sys_context|userenv|spt_\w+|serverproperty|db_name|suser_\w+|getdate|sysdatetime"
    r"|datepart|datename|datediff|dateadd|eomonth|newsequentialid|stuff|patindex|charindex|quotename|string_\w+|benchmark|sleep|zeroblob|subdate"
    r"|adddate|curdate|curtime|now|localtime\w*|sysdate|dayof\w*|dayname|monthname|quarter|makedate|period_\w+|sec_to_time|str_to_date)(_\w+)?)"
)
"""Functions that no parser knows by type and that only compute or show; any other belongs to the database's owner."""
_SENDING_FUNCTIONS = re.compile(
    r"(?i)^(http\w*|utl_\w+|net_\w+|dblink\w*|sp_send\w*|url|openquery|opendatasource|openrowset|remote|s3)$"
)
_SECRET_TABLES = re.compile(
    r"(?i)^(pg_shadow|pg_authid|pg_user_mapping|syslogins|sql_logins|dba_users|user\$|moz_cookies|cookies|logins|credentials"
    r"|secrets?|passwords?|api_keys?|(access|auth|refresh)_tokens?)$"
)
_SECRET_COLUMNS = re.compile(
    r"(?i)^(password|passwd|pwd|pass|password_hash|passwordhash|rolpassword|authentication_string|secret|secret_key|api_key"
    r"|apikey|access_token|refresh_token|private_key|encrypted_value|password_value|ssn|card_number|cvv)$"
)


def _node(node: object) -> list[Effect]:
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
        case e.Insert() if node.args.get("overwrite"):
            return [destroys("delete", f"every row of {_table(node)}")]
        case e.Copy() if not node.args.get("kind", True):  # TO a file or an address
            return [_exported(f.name if isinstance(f, e.Expression) else str(f)) for f in node.args.get("files") or []]
        case e.Insert() | e.Merge() | e.Create() | e.Copy() | e.LoadData():
            replaces = isinstance(node, e.Create) and node.args.get("replace")
            return [destroys("delete", _table(node))] if replaces else [changes("process", f"changes {_table(node)}")]
        case e.Alter():
            drops = any(isinstance(a, e.Drop) for a in node.args.get("actions") or [])
            return [destroys("delete", _table(node))] if drops else [changes("process", f"changes {_table(node)}")]
        case e.Grant():
            return [destroys("system", "rights in the database")]
        case e.Func() if _SENDING_FUNCTIONS.match(name := _function(node)):
            return [sends(f"the database calls {name}")]
        case e.Func() if _CHANGING_FUNCTIONS.match(name := _function(node)):
            said = verbs.risk_of(name)
            return [destroys("delete", name)] if said is Risk.DESTROY else [changes("process", name)]
        case e.Anonymous() if any(map(_is_statement, node.find_all(e.Literal))):
            return [opaque(f"SQL that {node.name} runs")]
        case e.Anonymous() if not _FUNCTIONS_THAT_LOOK.fullmatch(node.name):
            said = verbs.risk_of(node.name)
            if said is Risk.DESTROY or said is Risk.SPEND_OR_SEND:
                return [Effect("delete" if said is Risk.DESTROY else "send", f"the function {node.name}", said)]
            return [] if said is Risk.OBSERVE else [changes("process", f"the function {node.name}")]
        case e.Table() if _SECRET_TABLES.match(node.name) or (
            node.name.lower() == "user" and node.db.lower() == "mysql"
        ):
            return [Effect("credential", node.name, Risk.SPEND_OR_SEND)]
        case e.Column() if _SECRET_COLUMNS.match(node.name) and node.find_ancestor(e.Select):
            picked = node.find_ancestor(e.Where, e.Order, e.Group) is None
            return [Effect("credential", node.name, Risk.SPEND_OR_SEND)] if picked else []
        case e.Set() if re.search(r"(?i)\bglobal\b|\bpersist", node.sql()):
            return [destroys("system", node.sql()[:60])]
        case e.Set() if re.match(r"(?i)set\s+@", node.sql()):
            return []
        case e.Use():
            return []
        case e.Revoke():
            return [destroys("system", "rights in the database")]
        case e.Comment():
            return [changes("process", "a comment in the database")]
        case e.Into():
            return [changes("process", f"changes {_table(node)}")]
        case e.Attach() if not re.search(r"(?i)\.(db3?|sqlite3?|duckdb|s3db)'|:memory:|''", node.sql()):
            return [opaque(f"writes a database where it may be run: {node.sql()[:60]}")]
        case e.Attach() | e.Detach() | e.Set() | e.Use():
            return [changes("system", type(node).__name__.lower())]
        case e.Pragma():
            return [] if _PRAGMA_LOOKS.fullmatch(node.sql()) else [changes("system", node.sql())]
        case e.Kill():
            return [changes("process", "a connection")]
        case e.Transaction() | e.Commit() | e.Rollback():
            return [reads("a transaction")]
    return []


def _is_statement(text: exp.Literal) -> bool:
    """A text that a function is given and that would change something if it were run."""
    changing = r"(?i)\s*(drop|delete\s+from|truncate|alter|grant|insert\s+into|update\s+\w+\s+set|create|copy)\s+\w"
    return text.is_string and re.match(changing, text.name) is not None


def _exported(target: str) -> Effect:
    if target.upper() == "STDOUT":
        return reads(target)
    return paths.writing(target) if target else changes("process", "writes out a table")


def _function(node: exp.Func) -> str:
    from sqlglot import exp as e

    return node.name if isinstance(node, e.Anonymous) else node.sql_name()


def _always(where: object) -> bool:
    """``WHERE 1 = 1``, ``WHERE true`` and the like pick nothing out, also as one side of an OR."""
    from sqlglot import exp

    if not isinstance(where, exp.Expression):
        return False
    if where.find(exp.Column) is None:
        return True
    for one in where.find_all(exp.EQ, exp.LT, exp.GT, exp.LTE, exp.GTE, exp.NEQ, exp.Like):
        if one.find(exp.Column) is None or one.this == one.expression:
            return True
        if (
            isinstance(one, exp.Like)
            and isinstance(one.expression, exp.Literal)
            and one.expression.name.strip("%") == ""
        ):
            return True
    told = where.this
    if isinstance(told, exp.And):
        return all(_always(exp.Where(this=side.copy())) for side in (told.this, told.expression))
    bare = (
        isinstance(told, exp.GT | exp.GTE)
        and isinstance(told.expression, exp.Literal)
        and told.expression.name in ("0", "-1")
    )
    return bare or isinstance(told, exp.Boolean | exp.Literal) or "IS NULL" in told.sql().upper()


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
        target = re.search(r"(?i)\binto\s+'([^']+)'", text)
        return [paths.writing(target[1])] if target else [changes("process", "the database file")]
    if head in (
        "LOCK",
        "UNLOCK",
        "LISTEN",
        "NOTIFY",
        "UNLISTEN",
        "CLUSTER",
        "REFRESH",
        "CHECK",
        "REPAIR",
        "ATTACH",
        "DETACH",
    ):
        return [changes("process", text.strip()[:40])]
    if re.match(r"(?i)create\s+extension|attach\b", text.strip()):
        return [changes("process", text.strip()[:40])]
    if re.match(r"(?i)set\s+(@|session|local|search_path|timezone|names|role\s+none)", text.strip()):
        return []
    if head == "END" or head == "BEGIN":
        return []
    return [opaque(text.strip()[:40])]
