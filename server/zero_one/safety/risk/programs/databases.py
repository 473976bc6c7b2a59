"""Databases by their command lines: what stands in ``-c`` is read as SQL."""

from __future__ import annotations

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, destroys, opaque
from zero_one.safety.risk.programs.call import Call, Handler, table


def _database(call: Call) -> list[Effect]:
    if call.program == "mysqladmin":
        words = call.options("uhPpSi", "--user --host --port --password --socket --sleep")[1]
        looks = words and set(words) <= {"status", "ping", "version", "processlist", "variables", "extended-status"}
        return [] if looks else [destroys("system", f"mysqladmin {' '.join(call.operands)}")]
    if call.program in ("dropdb", "dropuser"):
        return [destroys("delete", " ".join(call.operands))]
    if call.program in ("pg_dump", "mysqldump", "pg_dumpall", "mongodump"):
        target = call.value("-f", "--file", "--result-file", "-r", "--out", "-o", "--tab", "-T")
        if target is None and call.program == "mongodump":
            target = "dump"
        return [paths.writing(target)] if target and target != "-" else []
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
        sql = _sqlite(call)
    if call.program in ("redis-cli",):
        return _redis(call)
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
    if call.program in ("sqlite3", "duckdb"):
        return None
    if call.program == "psql":
        options, _ = call.options("cdfhoUvFRTPLp", "--command --dbname --file --host --username --set --port")
        told = [value for name, value in options if name in ("-c", "--command")]
        return " ; ".join(told) if told else None
    if call.program in ("mysql", "mariadb"):
        options, _ = call.options("ehuDPS", "--execute --host --user --database --port")
        told = [value for name, value in options if name in ("-e", "--execute")]
        return " ; ".join(told) if told else None
    return call.value("-c", "-e", "--command", "--execute", "-Q", "-q", "--eval")


def _sqlite(call: Call) -> str | None:
    """Every piece of SQL that is given after the database, and each ``-cmd``."""
    told: list[str] = []
    operands: list[str] = []
    todo = call.texts
    while todo:
        text, todo = todo[0], todo[1:]
        option = "-" + text.lstrip("-")
        if text.startswith("-") and len(text) > 1:
            if option in ("-cmd", "-c", "-s", "-f"):
                told += todo[:1] if option != "-f" else [".read a file"]
            if option in _SQLITE_VALUED:
                todo = todo[1:]
        else:
            operands.append(text)
    told += operands[1:]
    return "\n;\n".join(told) if told else None


_SQLITE_VALUED = set(
    "-cmd -c -s -f -separator -nullvalue -newline -init -lookaside -mmap -maxsize -vfs -pagecache -heap".split()
)
_REDIS_LOOKS = set(
    """
    GET KEYS SCAN INFO TTL PTTL TYPE EXISTS LLEN LRANGE LINDEX HGETALL HGET HKEYS HVALS HLEN HSCAN DBSIZE PING
    SMEMBERS SCARD
    SISMEMBER SSCAN MGET STRLEN ZRANGE ZCARD ZSCORE ZRANK ZSCAN ZCOUNT XLEN XRANGE XINFO TIME ECHO LASTSAVE ROLE MEMORY
    OBJECT SLOWLOG LATENCY COMMAND GETRANGE RANDOMKEY MONITOR SUBSCRIBE BITCOUNT GEOPOS PUBSUB
    """.split()
)
_REDIS_DESTROYS = set(
    "DEL FLUSHALL FLUSHDB UNLINK SHUTDOWN CONFIG EVAL EVALSHA SCRIPT DEBUG SLAVEOF REPLICAOF MODULE ACL".split()
)
_REDIS_OPTIONS = set(
    "--raw --no-raw --bigkeys --memkeys --hotkeys --stat --latency --csv --json --no-auth-warning --scan".split()
)


def _redis(call: Call) -> list[Effect]:
    """Each command, on the line or fed; what is not known to look changes something."""
    options, words = call.options("hpsuanriPdDt", "--user --pass --pattern --count -t")
    if call.has("--eval", "--pipe", "--cluster", "--rdb", "-x", "-X", "--functions-rdb"):
        return [opaque(f"redis-cli {' '.join(call.texts[:3])}")]
    if call.stdin is not None and "\0" in call.stdin:
        return [opaque("commands for redis that come from elsewhere")]
    lines = [words] if words else [line.split() for line in (call.stdin or "").split("\n") if line.strip()]
    if not lines and not {n for n, _ in options} & _REDIS_OPTIONS:
        return [changes("process", "opens a database")] if call.stdin is None else []
    out: list[Effect] = []
    for verb, *rest in ((w.upper() for w in line) for line in lines):
        if verb in _REDIS_DESTROYS and not (verb == "CONFIG" and rest[:1] == ["GET"]):
            out.append(destroys("delete", f"redis {verb}"))
        elif (
            verb not in _REDIS_LOOKS
            and verb != "CONFIG"
            and (verb, *rest[:1]) not in (("CLIENT", "LIST"), ("CLUSTER", "INFO"))
        ):
            out.append(changes("system", f"redis {verb}"))
    return out


TABLE: dict[str, Handler] = {
    **table(_database, """
        sqlite3 duckdb psql mysql mysqladmin mariadb mongo mongosh redis-cli dropdb dropuser createdb createuser pg_dump
        pg_dumpall pg_restore mysqldump mongodump mongorestore sqlcmd
        """),
}  # fmt: skip
