"""SQLite's statements as PostgreSQL reads them: a few words, and the functions over JSON (schema.py has ours).

Owns every difference between the two that the shared statements have. Pure. Does not know tables or connections.
"""

import re
from functools import lru_cache
from itertools import count

from storage.sqlite.history_table import NEW_SEQS

_INSTEAD = {NEW_SEQS: "SELECT nextval('message_seq') FROM json_ids($1)"}
"""Statements that say something else here: new numbers come from a sequence, which no two transactions share."""
_NESTED = r"(?:[^(),]|\([^()]*\))+"
_PAIRS = {"run": "json_pairs", "s": "json_pairs", "name": "json_text_pairs"}
"""The names under which statements read JSON arrays of [first, last], and our function for each."""
_RUN = " AND ".join(rf"json_extract\(run\.value, '\$\[{place}\]'\)" for place in (0, 1))
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        # Runs of numbers too: joined with them, all rows of a scope would be compared with each run.
        (
            rf"\bFROM json_each\((\$\d+)\) AS run CROSS JOIN (\w+)\s+ON ([^;]*?)\s+AND seq BETWEEN {_RUN}",
            r"FROM \2 WHERE \3 AND seq = ANY (ARRAY(SELECT generate_series(first, last) FROM json_pairs(\1)))",
        ),
        # Arrays of ids are looked up in an index: a subquery would have the planner guess how long they are.
        (r"\bNOT IN \(SELECT value FROM json_each\((\$\d+)\)\)", r"<> ALL (ARRAY(SELECT value FROM json_ids(\1)))"),
        (r"\bIN \(SELECT value FROM json_each\((\$\d+)\)\)", r"= ANY (ARRAY(SELECT value FROM json_ids(\1)))"),
        (r"\bjson_each\((\$\d+)\) WHERE type = 'text'", r"json_texts(\1)"),
        (r"\bjson_extract\((\w+)\.value, '\$\[0\]'\)", r"\1.first"),
        (r"\bjson_extract\((\w+)\.value, '\$\[1\]'\)", r"\1.last"),
        *((rf"\bjson_each\(([^()]*)\) AS {name}\b", rf"{function}(\1) AS {name}") for name, function in _PAIRS.items()),
        (r"\bjson_each\(", "json_ids("),
        (r"\bjson\((\$\d+)\)", r"\1"),
        # Of several values, not of several rows.
        (rf"(?i)\bMAX\(({_NESTED}), ({_NESTED})\)", r"GREATEST(\1, \2)"),
        (rf"(?i)\bMIN\(({_NESTED}), ({_NESTED})\)", r"LEAST(\1, \2)"),
        # Background work that is not another process's.
        (r"\b1 /\* served here: ([\w.]+) \*/", r"served_here(\1)"),
        # Hints for SQLite's planner.
        (r"\bCROSS JOIN\b", "JOIN"),
        (r"\b(ORDER BY|WHERE) \+", r"\1 "),
        (r"^\s*BEGIN\s*$", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
    )
)
_ONE_ROW = re.compile(r"(\s*INSERT INTO \w+ \([^()]*\)\s*VALUES )(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))\s*")
_TOKENS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\?(\d*)")


@lru_cache(maxsize=1_000)
def translated(sql: str) -> str:
    """A statement of the shared tables in PostgreSQL's words, its values numbered $1, $2 …"""
    if sql in _INSTEAD:
        return _INSTEAD[sql]
    last = 0

    def numbered(found: re.Match[str]) -> str:
        nonlocal last
        if found.group().startswith("--"):
            return ""
        if found.group(1) is None:
            return found.group()
        last += 1
        return f"${found.group(1) or last}"

    made = _TOKENS.sub(numbered, sql)
    for pattern, to in _REWRITTEN:
        made = pattern.sub(to, made)
    return made


@lru_cache(maxsize=100)
def joined(sql: str, rows: int) -> str | None:
    """An INSERT of one row for so many rows, in PostgreSQL's words; None where it says more than that."""
    plain = _ONE_ROW.fullmatch(sql)
    if plain is None or re.search(r"\?\d|'[^']*\?[^']*'", plain[2]):
        return None
    row, number = plain[2], count(1)
    each = (re.sub(r"\?", lambda _: f"${next(number)}", row) for _ in range(rows))
    return plain[1] + ", ".join(each)
