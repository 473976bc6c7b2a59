"""Databases by their command lines: what stands in ``-c`` is read as SQL."""

from __future__ import annotations

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, destroys, opaque
from zero_one.safety.risk.programs.call import Call, Handler, table


def _database(call: Call) -> list[Effect]:
    if call.program == "mysqladmin":
        looks = set(call.operands) & {"status", "ping", "version", "processlist", "variables", "extended-status"}
        return [] if looks else [destroys("system", f"mysqladmin {' '.join(call.operands)}")]
    if call.program in ("dropdb", "dropuser"):
        return [destroys("delete", " ".join(call.operands))]
    if call.program in ("pg_dump", "mysqldump", "pg_dumpall", "mongodump"):
        target = call.value("-f", "--file", "--result-file", "--out")
        return [paths.writing(target)] if target else []
    if call.program in ("pg_restore", "mongorestore", "createdb", "createuser"):
        return [changes("system", call.program)]
    if call.program == "psql" and call.has("-l", "--list"):
        return []
    if call.program in ("sqlite3", "duckdb"):
        out = [e for e in map(paths.reading, call.operands[:1]) if e.risk]
        if out:
            return out
    sql = _statement(call)
    if call.has("-f", "--file") and call.program == "psql":
        return [opaque("SQL from a file")]
    if call.program in ("sqlite3", "duckdb") and call.has("-init"):
        return [opaque("SQL from a file")]
    if sql is None and call.program in ("sqlite3", "duckdb"):
        rest = call.options("", "")[1][1:]
        sql = " ; ".join(rest) if rest else None
    if call.program in ("redis-cli",):
        return _redis(call.operands)
    if call.program in ("mongo", "mongosh"):
        if sql is None and call.stdin is None:
            return [changes("process", "opens a database")]
        call.reader.nested(sql or call.stdin or "", "javascript")
        return []
    code = sql if sql is not None else call.stdin
    if code is None:
        return [changes("process", "opens a database")]
    if "\0" in code:
        return [opaque("SQL that is computed")]
    if not all(a.sure for a in call.args):
        return [opaque("SQL that is computed")]
    call.reader.nested(code, "sql")
    return []


def _statement(call: Call) -> str | None:
    """The code on the command line, where each client has its own way to say it."""
    if call.program == "sqlite3":
        return call.value("-cmd")
    if call.program == "psql":
        options, _ = call.options("cdfhoUvFRTPLp", "--command --dbname --file --host --username --set --port")
        told = [value for name, value in options if name in ("-c", "--command")]
        return " ; ".join(told) if told else None
    if call.program in ("mysql", "mariadb"):
        options, _ = call.options("ehuDPS", "--execute --host --user --database --port")
        told = [value for name, value in options if name in ("-e", "--execute")]
        return " ; ".join(told) if told else None
    return call.value("-c", "-e", "--command", "--execute", "-Q", "-q", "--eval")


def _redis(words: list[str]) -> list[Effect]:
    verb = next((w.upper() for w in words if w.isalpha()), "")
    if not verb:
        return []
    if {w.upper() for w in words} & {"FLUSHALL", "FLUSHDB", "SHUTDOWN"}:
        return [destroys("delete", "everything that redis holds")]
    if verb in (
        "GET",
        "KEYS",
        "SCAN",
        "INFO",
        "TTL",
        "TYPE",
        "EXISTS",
        "LLEN",
        "LRANGE",
        "HGETALL",
        "HGET",
        "DBSIZE",
        "PING",
        "SMEMBERS",
        "MGET",
        "STRLEN",
        "ZRANGE",
    ):
        return []
    if verb in (
        "DEL",
        "FLUSHALL",
        "FLUSHDB",
        "UNLINK",
        "SHUTDOWN",
        "CONFIG",
        "EVAL",
        "SCRIPT",
        "DEBUG",
        "SLAVEOF",
        "REPLICAOF",
        "MODULE",
    ):
        return [destroys("delete", f"redis {verb}")]
    return [changes("system", f"redis {verb}")]


TABLE: dict[str, Handler] = {
    **table(_database, """
        sqlite3 duckdb psql mysql mysqladmin mariadb mongo mongosh redis-cli dropdb dropuser createdb createuser pg_dump
        pg_dumpall pg_restore mysqldump mongodump mongorestore sqlcmd
        """),
}  # fmt: skip
