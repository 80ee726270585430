"""Files that offices published, as two packages of development hold them, with how each reads.

The packages lie as archives in `.venv/documents` (docs/supply-chain.md). One judges its files by a
parse of its own, `claims`; where that one is wrong, what stands in the file was looked up by hand.
"""

import html
import json
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from patclaimeval.documents.reading import read_document
from patclaimeval.documents.records import ReadDocument, ReadOptions

PATENT_CLIENT: Final = "patent_client-5.0.19-py3-none-any.whl"
PATENTBENCH: Final = "patentbench-0.2.0-py3-none-any.whl"
SEARCHED: Final = "patent_client/_sync/uspto/public_search/fixtures"
OPS: Final = "patent_client/_sync/epo/ops/published/test"
CLAIM_EXAMPLES: Final = "patent_client/util/claims/examples"
APPLICATIONS: Final = (
    "patentbench-0.2.0.data/data/share/patentbench/data/real_oa/specifications.jsonl"
)

# Document, claims of the package's parse, those that it has as the file has them. It drops "1)" and
# "3000)", and takes two claims for one where a line number or a letter precedes the second.
COUNTS: Final = (
    ("US-6103599-A", 28, 28),
    ("US-11557320-B1", 20, 20),
    ("US-11556547-B2", 14, 14),
    ("US-11554716-B1", 20, 20),
    ("US-11558444-B1", 22, 22),
    ("US-11554343-B1", 5, 5),
    ("US-11556169-B2", 21, 21),
    ("US-11556727-B1", 13, 12),
    ("US-11554372-B1", 13, 13),
    ("US-11558129-B1", 20, 20),
    ("US-11556879-B1", 14, 14),
    ("US-20230008865-A1", 20, 17),
    ("US-20230009372-A1", 40, 40),
    ("US-20230009869-A1", 25, 25),
    ("US-20230007979-A1", 6, 0),
    ("US-20230011501-A1", 20, 20),
    ("US-20230010306-A1", 68, 68),
    ("US-20230009613-A1", 24, 24),
    ("US-20230010512-A1", 29, 29),
    ("US-20230008765-A1", 12, 12),
    ("US-20230009095-A1", 21, 21),
    ("US-PP03823-P", 1, 1),
    ("US-RE28436-E", 16, 14),
    ("US-3857398-A", 10, 8),
)
# What it drops, and what of the others is dropped.
NUMBERS: Final = r"\d+\)(?=\s)"
NOTHING: Final = r"(?!)"
DROPS_NUMBERS: Final = ("US-11556727-B1", "US-20230008865-A1", "US-20230007979-A1")
# What the parse has, and what stands in the file; white space is left out of both. Claim 15 of
# the first is printed "I5.", which no reader of ours takes for a number, and claim 6 of the other
# ends with the number of a line: 480 claims of 482 are right.
BY_HAND: Final = {
    "US-RE28436-E": (
        ("period.Theapparatusofclaim8further", "period.\n10.Theapparatusofclaim8further"),
        ("undamagedbit.I", "undamagedbit.I5."),
    ),
    "US-3857398-A": (
        ("catheter.60Apparatusfor", "catheter.60\n7.Apparatusfor"),
        ("value.Apparatusaccordingtoclaim9", "value.\n10.Apparatusaccordingtoclaim9"),
    ),
}

Parsed = tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True)
class OfficeFile:
    """A file with its kind, and its claims as they are to be read: without spaces and `dropped`."""

    kind: str
    data: bytes
    claims: tuple[str, ...]
    dropped: str = NOTHING


def closed_up(text: str) -> str:
    """Return a text without its white space."""
    return re.sub(r"\s+", "", text)


def claims_read(document: ReadDocument, dropped: str = NOTHING) -> tuple[str, ...]:
    """Return each claim without spaces and `dropped`; cancelled ones together are as many."""
    found: list[str] = []
    for claim in document.claims.claims:
        if claim.status == "canceled":
            numbers = range(claim.number, claim.last_number + 1)
            found += [f"{number}.(canceled)" for number in numbers]
        else:
            found.append(closed_up(re.sub(dropped, "", document.claims.text_of(claim))))
    return tuple(found)


@cache
def archived(package: str, name: str) -> bytes:
    """Return a file of a package."""
    path = Path(sys.prefix) / "documents" / package
    assert path.is_file(), f"{path} is missing; run `make test` once"
    with ZipFile(path) as archive:
        return archive.read(name)


@cache
def limitations(name: str) -> Parsed:
    """Return each claim of a patent as the package parses it: its number and its paragraphs."""
    found = json.loads(archived(PATENT_CLIENT, f"{SEARCHED}/doc_output.json"))
    (claims,) = [row["document"]["claims"] for row in found if row["guid"] == name]
    return _numbered(claims)


def _numbered(claims: list[dict[str, Any]]) -> Parsed:
    return tuple((claim["number"], tuple(claim["limitations"])) for claim in claims)


def joined(claims: Parsed) -> tuple[str, ...]:
    """Return each claim as one text without spaces."""
    return tuple(closed_up(f"{number}.{''.join(parts)}") for number, parts in claims)


@cache
def patent(name: str) -> OfficeFile:
    """Return a patent or application of the USPTO as somebody copies it from the search's page."""
    found = json.loads(archived(PATENT_CLIENT, f"{SEARCHED}/doc.json"))
    (page,) = [row["claimsHtml"] for row in found if row["guid"] == name]
    text = html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"<br ?/?>", "\n", page)))
    right = "\n".join(joined(limitations(name)))
    for theirs, printed in BY_HAND.get(name, ()):
        assert right.count(theirs) == 1
        right = right.replace(theirs, printed)
    data = f"What is claimed is:\n{text}".encode()
    dropped = NUMBERS if name in DROPS_NUMBERS else NOTHING
    return OfficeFile("text", data, tuple(right.split("\n")), dropped)


@cache
def ops(name: str) -> OfficeFile:
    """Return an answer of the EPO's Open Patent Services."""
    claims = json.loads(archived(PATENT_CLIENT, f"{OPS}/{name}.json"))["claims"]
    data = archived(PATENT_CLIENT, f"{OPS}/{name}.xml")
    return OfficeFile("xml", data, joined(_numbered(claims)))


@cache
def example(name: str) -> OfficeFile:
    """Return a claim set that the package tries its own parser on."""
    claims = json.loads(archived(PATENT_CLIENT, f"{CLAIM_EXAMPLES}/{name}.json"))
    data = archived(PATENT_CLIENT, f"{CLAIM_EXAMPLES}/{name}.txt")
    return OfficeFile("text", data, joined(_numbered(claims)))


@cache
def application(number: str) -> OfficeFile:
    """Return an application's claims; each begins where a paragraph begins with its number."""
    lines = archived(PATENTBENCH, APPLICATIONS).splitlines()
    (row,) = [row for row in map(json.loads, lines) if row["application_number"] == number]
    claims: list[str] = []
    for part in row["claims"]:
        paragraph = part.removeprefix("What is claimed is: ")
        begins = re.match(r"(\d+) (?:- (\d+) )?\. ", paragraph)
        if begins is None:
            claims[-1] += closed_up(paragraph)
        elif begins[2]:
            numbers = range(int(begins[1]), int(begins[2]) + 1)
            claims += [f"{number}.(canceled)" for number in numbers]
        else:
            claims.append(closed_up(paragraph))
    return OfficeFile("text", "\n".join(row["claims"]).encode(), tuple(claims))


APPLIED: Final = (
    ("17100019", 20),
    ("16100020", 57),
    ("16100001", 6),
    ("16100006", 14),
    ("16100010", 16),
)
ANSWERED: Final = (
    ("claims_example", "EP1000000A1", 11),
    ("claims_example_2", "WO2009085664A2", 20),
)
EXAMPLES: Final = (("multiple_dependent", 11), ("published_claims", 25))
# One of each office first: what is tried where the others would be tried again.
ALL: Final = (
    (ops, "claims_example"),
    (patent, "US-20230007979-A1"),
    (ops, "claims_example_2"),
    *((patent, name) for name, *_ in COUNTS if name != "US-20230007979-A1"),
    *((application, name) for name, _ in APPLIED),
    *((example, name) for name, _ in EXAMPLES),
)


def claims_in(file: OfficeFile, stored: str) -> tuple[str, ...]:
    """Return the claims of a text that was stored of the file, as `file.claims` has them."""
    return claims_read(read_document(stored.encode(), "text", ReadOptions()), file.dropped)
