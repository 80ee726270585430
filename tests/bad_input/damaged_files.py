"""Files that no import may take, by the ids of the catalogue (IM01-IM46), and each refusal.

A case is the bytes of a file and a part of the refusal's message: the line, the field, the reason.
"""

import gzip
import json
from typing import Any, Final

CLAIM: Final = "1. A cup comprising a body and a handle."
MUG: Final = "1. A mug."
CSV_HEAD: Final = "reference_id,reference_claims,candidate_id,claims\r\n"


def reference(number: int, **more: Any) -> dict[str, Any]:
    """Return a record of claims-jsonl; a field given as None is left out."""
    candidates = [{"candidate_id": f"c{n}", "claims": f"1. A mug {n}."} for n in (1, 2)]
    found = {"reference_id": f"r{number}", "reference_claims": CLAIM, "candidates": candidates}
    return {name: value for name, value in (found | more).items() if value is not None}


def jsonl(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def second(**more: Any) -> bytes:
    return jsonl(reference(1), reference(2, **more))


def candidate(**more: Any) -> bytes:
    """Return a file whose second line has a candidate that is wrong in a field."""
    found = {"candidate_id": "c1", "claims": MUG} | more
    present = {name: value for name, value in found.items() if value is not None}
    return second(candidates=[present])


def table(*rows: str) -> bytes:
    return (CSV_HEAD + "".join(row + "\r\n" for row in rows)).encode()


def published(**more: Any) -> bytes:
    good = {"gold_claim": CLAIM, "A": MUG, "B": "1. A bowl.", "human_eval": {"Quality": 1}}
    wrong = {name: value for name, value in (good | more).items() if value is not None}
    return json.dumps([good, wrong]).encode()


def long_file_with_a_bad_byte() -> bytes:
    lines = [json.dumps(reference(number)).encode() for number in range(4_720)]
    lines[4_710] = lines[4_710].replace(b"cup", b"c\xfcp")
    return b"\n".join(lines) + b"\n"


GOOD: Final = jsonl(reference(1), reference(2))
TEXT: Final = GOOD.decode()
NON_ASCII: Final = json.dumps(reference(1, title="Tasse mit Öhr"), ensure_ascii=False) + "\n"
JAPANESE: Final = json.dumps(reference(1, title="茶碗"), ensure_ascii=False) + "\n"

# What the readers of claim sets refuse, whether a file comes by page, call or command.
CLAIM_SETS: Final[dict[str, tuple[bytes, str]]] = {
    "IM01 empty": (b"", "0 records"),
    "IM01 only line ends": (b"\n\r\n \n", "0 records"),
    "IM01 only a byte order mark": (b"\xef\xbb\xbf", "0 records"),
    "IM01 only a header": (CSV_HEAD.encode(), "0 records"),
    "IM01 empty array": (b"[]", "0 records"),
    "IM02 neither of our formats": (b"name;text\r\n1;2\r\n", "neither"),
    "IM02 a PDF": (b"%PDF-1.7\n1 0 obj\n", "a PDF document, not text"),
    "IM02 a spreadsheet": (b"PK\x03\x04\x14\x00\x06\x00", "ZIP"),
    "IM02 HTML": (b"<!doctype html><html></html>", "neither"),
    "IM03 cut in the middle": (GOOD[:-20], "line 2"),
    "IM03 text after the end": (GOOD + b"{} trailing\n", "line 3"),
    "IM03 a list a line": (b'["a"]\n["b"]\n', "goes on after the end of its JSON array"),
    "IM03 a bare value": (GOOD + b"42\n", "line 3"),
    "IM03 deep nesting": (
        b'{"reference_id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        "nested deeper than 32",
    ),
    "IM04 UTF-16": (TEXT.encode("utf-16"), "UTF-16"),
    "IM04 UTF-16 without a mark": (TEXT.encode("utf-16-le"), "UTF-16"),
    "IM04 UTF-32": (TEXT.encode("utf-32"), "UTF-"),
    "IM04 cp1252": (NON_ASCII.encode("cp1252"), "0xD6 is not UTF-8"),
    "IM04 Shift-JIS": (JAPANESE.encode("shift-jis"), "is not UTF-8"),
    "IM04 bad byte on line 4,711": (long_file_with_a_bad_byte(), "line 4711"),
    "IM06 raw NUL": (GOOD.replace(b"cup", b"c\0p", 1), "binary, not text"),
    "IM06 raw NUL far down": (
        jsonl(*map(reference, range(40))).replace(
            b'"r33", "reference_claims": "', b'"r33\0", "', 1
        ),
        "line 34",
    ),
    "IM06 escaped NUL": (GOOD.replace(b"cup", b"c\\u0000p", 1), "NUL"),
    "IM07 half a surrogate pair": (GOOD.replace(b"cup", b"c\\ud83dp", 1), "surrogate"),
    "IM08 a field twice": (
        GOOD.replace(b'{"reference_id"', b'{"reference_id": "r9", "reference_id"', 1),
        "stands twice",
    ),
    "IM09 one line of 5 MB": (
        jsonl(reference(1, title="x" * 5_000_000)),
        "longer than the limit of 4,194,304 bytes",
    ),
    "IM12 NaN": (GOOD.replace(b'"r2"', b"NaN"), "NaN is not a JSON number"),
    "IM12 a huge number": (GOOD.replace(b'"r2"', b"9" * 5_000), "18 digits"),
    "IM12 1e999": (GOOD.replace(b'"r2"', b"1e999"), "a number is too large"),
    "IM20 id is a number": (second(reference_id=7), "line 2, field reference_id"),
    "IM20 id is empty": (second(reference_id=""), "line 2, field reference_id"),
    "IM20 id of 300 characters": (second(reference_id="x" * 300), "longer than 200"),
    "IM20 id with a line end": (second(reference_id="a\nb"), "field reference_id"),
    "IM21 id twice, other claims": (second(reference_id="r1", reference_claims=MUG), "line 2"),
    "IM23 misspelt field": (second(scroe=1), "line 2, field scroe"),
    "IM23 misspelt field of a candidate": (candidate(sytem="a"), "sytem"),
    "IM24 claims missing": (second(reference_claims=None), "line 2, field reference_claims"),
    "IM24 claims empty": (second(reference_claims=""), "line 2, field reference_claims: empty"),
    "IM24 claims of spaces": (second(reference_claims=" \t\n"), "reference_claims: blank"),
    "IM24 claims of zero width": (second(reference_claims="\u200b\u2060"), "blank"),
    "IM24 claims are a list": (second(reference_claims=[CLAIM]), "a text was expected"),
    "IM24 claims of a candidate missing": (candidate(claims=None), "claims"),
    "IM24 claims of a candidate blank": (candidate(claims="\u2800\u3164"), "claims"),
    "IM25 may_train is a text": (second(may_train="yes"), "line 2, field may_train"),
    "IM33 no candidates": (second(candidates=[]), "line 2, field candidates"),
    "IM33 candidates are an object": (second(candidates={}), "line 2, field candidates"),
    "IM33 a candidate is a text": (second(candidates=["a"]), "line 2"),
    "IM33 a candidate id twice": (
        second(candidates=[{"candidate_id": "c", "claims": MUG}] * 2),
        "line 2",
    ),
    "IM35 quote never closed": (
        table("r1,1. A cup.,c1,1. A mug.", 'r2,"1. A cup.,c1,1. A mug.', "r3,a,c,d"),
        "line 3",
    ),
    "IM35 text after a quote": (table('r1,"1. A cup."x,c1,1. A mug.'), "line 2"),
    "IM36 a field of 5 MB": (table(f"r1,{'x' * 5_000_000},c1,1. A mug."), "longer than"),
    "IM37 too few cells": (table("r1,1. A cup.,c1"), "line 2: 3 cells"),
    "IM37 too many cells": (table("r1,1. A cup.,c1,1. A mug.,more"), "line 2: 5 cells"),
    "IM38 column missing": (b"reference_id,claims\r\nr1,1. A mug.\r\n", "this column is missing"),
    "IM38 column twice": (
        CSV_HEAD.replace("claims\r", "claims,claims\r").encode() + b"r1,a,c,b,b\r\n",
        "this column stands twice",
    ),
    "IM38 unknown column": (
        CSV_HEAD.replace("claims\r", "claims,scroe\r").encode() + b"r1,a,c,b,1\r\n",
        "unknown column",
    ),
    "IM40 a date for an id": (table("3-Oct,1. A cup.,c1,1. A mug."), "made a date"),
    "IM40 a rounded number for an id": (table("r1,1. A cup.,1E+05,1. A mug."), "rounded number"),
    "IM40 an error value": (table("r1,1. A cup.,c1,#NAME?"), "error value"),
    "IM44 published, text missing": (published(A=None), "item 2, field A"),
    "IM44 published, unknown field": (published(C=MUG), "item 2, field C"),
    "IM44 published, a text is a number": (published(gold_claim=1), "item 2, field gold_claim"),
    "IM45 gzip cut short": (gzip.compress(GOOD)[:-12], "cut short or damaged"),
    "IM45 gzip damaged": (gzip.compress(GOOD)[:20] + b"\0" * 30, "cut short or damaged"),
    "IM45 gzip in gzip": (gzip.compress(gzip.compress(GOOD)), "gzip"),
    "IM46 gzip of 1:1000": (gzip.compress(GOOD + b" " * 60_000_000), "unpacks to more than"),
}


def quadruplet(**more: Any) -> bytes:
    good = {"A": CLAIM, "B": MUG, "C": "1. A bowl.", "y": {"overall_quality": 1}}
    present = {name: value for name, value in (good | more).items() if value is not None}
    return jsonl(good, present)


def label(value: Any) -> bytes:
    return quadruplet(y={"overall_quality": value}, B="1. A jug.")


# What the readers of quadruplets refuse besides: labels are scores.
DATASETS: Final[dict[str, tuple[bytes, str]]] = {
    "IM15 9.0": (label(1.0), "line 2, field y.overall_quality: a label is 1, 0 or -1"),
    "IM16 a text": (label("1"), "line 2, field y.overall_quality"),
    "IM17 true": (label(True), "line 2, field y.overall_quality"),
    "IM18 null": (label(None), "line 2, field y.overall_quality"),
    "IM19 10.5": (label(10.5), "line 2, field y.overall_quality"),
    "IM19 2": (label(2), "line 2, field y.overall_quality"),
    "IM19 huge": (label(10**17), "line 2, field y.overall_quality"),
    "IM22 no label": (quadruplet(y={}), "line 2, field y: holds no label"),
    "IM22 unknown criterion": (quadruplet(y={"scroe": 1}), "y.scroe: is no criterion"),
    "IM23 misspelt field": (quadruplet(scroe=1), "line 2, field scroe"),
    "IM24 claims missing": (quadruplet(B=None), "line 2, field B"),
    "IM24 claims blank": (quadruplet(C="\u200b"), "line 2, field C: blank"),
    "IM26 unknown split": (quadruplet(split="training"), "line 2, field split"),
    "IM27 share above one": (quadruplet(y_soft={"overall_quality": 1.5}), "y_soft"),
    "IM01 empty": (b"", "0 records"),
    "IM04 UTF-16": (quadruplet().decode().encode("utf-16"), "UTF-16"),
    "IM06 escaped NUL": (quadruplet().replace(b"mug", b"\\u0000"), "NUL"),
    "IM07 half a surrogate pair": (quadruplet().replace(b"mug", b"\\udc00"), "surrogate"),
}


def judgement(**more: Any) -> bytes:
    """Return an export of preferences whose second item is wrong in a field."""
    good = {
        "input_claim": CLAIM,
        "output1": "2. The cup of claim 1.",
        "output2": MUG,
        "comparison": [{"selected": "left"}],
        "annotator": 7,
        "annotation_id": 1,
        "created_at": "2026-01-05T08:00:00Z",
        "updated_at": "2026-01-05T09:00:00Z",
    }
    wrong = {n: v for n, v in (good | {"annotation_id": 2} | more).items() if v is not None}
    return json.dumps([good, wrong]).encode()


# What the reader of preferences refuses besides.
PREFERENCES: Final[dict[str, tuple[bytes, str]]] = {
    "IM17 judgement is true": (judgement(comparison=True), "item 2, field comparison"),
    "IM19 unknown side": (judgement(comparison=[{"selected": "both"}]), "field comparison"),
    "IM19 number of an annotator is text": (judgement(annotator="7"), "field annotator"),
    "IM20 annotation twice": (
        judgement(annotation_id=1, annotator=8),
        "item 1 has the same number",
    ),
    "IM23 misspelt field": (judgement(dimensoin1="Clarity"), "field dimensoin1"),
    "IM24 claims missing": (judgement(output1=None), "item 2, field output1"),
    "IM29 a day without a zone": (judgement(created_at="2026-01-05"), "field created_at"),
    "IM29 a day that is none": (judgement(updated_at="2026-02-30T00:00:00Z"), "updated_at"),
    "IM34 code for a list": (
        judgement(dimension1="__import__('os').system('true')"),
        "item 2, field dimension1",
    ),
}
