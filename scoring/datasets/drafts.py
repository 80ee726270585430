"""A dataset in the making: its rows, their splits, and the lengths of their texts."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from statistics import median
from typing import Any, Final

from core.claim_text import find_markers
from scoring.formats import patent_ce_jsonl
from scoring.quadruplets import (
    TEST,
    DatasetRow,
    SplitError,
    SplitPlan,
    TextGroups,
    deal_groups,
    shared_texts,
)

COUNTED_BY: Final = (
    "words: runs of letters and digits, and each character of a script without spaces; claim "
    "numbers count, punctuation does not (the Longformer tokenizer of published figures cuts words "
    "into pieces, so that it counts more)"
)
# Kana, ideographs, Thai, Lao, Burmese, Khmer: no spaces between their words.
_UNSPACED: Final = (
    r"\u0e01-\u0e30\u0e40-\u0e46\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
REFERENCE: Final = 1
CANDIDATE: Final = 2
# Of the texts A, B and C of a row.
ROLES: Final = (REFERENCE, CANDIDATE, CANDIDATE)
MOST_PARSED: Final = 512
SAMPLED: Final = 128
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_WORD: Final = re.compile(rf"[^\W_{_UNSPACED}]+|[{_UNSPACED}]")


def count_words(text: str) -> int:
    """Count the words of a text as COUNTED_BY defines. Input: any text. Output: a count from 0."""
    return len((_ASCII_WORD if text.isascii() else _WORD).findall(text))


def count_claims(text: str) -> int:
    """Count the claims of a claim set, cancelled ones left out.

    Input: any text. Output: a count from 0; a text without numbers is one claim.
    """
    return sum(not mark.is_cancelled for mark in find_markers(text)) or min(1, len(text))


def summary(counts: Counter[int]) -> dict[str, Any]:
    """Describe whole numbers by how often each occurs.

    Input: times by number. Output: `n`, `min`, `max`, `mean`, `median` (of two middle ones their
    mean) and `sd` (over n - 1, as published figures are; None of one number); all but n None
    where there is nothing.
    """
    n = counts.total()
    if not n:
        return {"n": 0} | dict.fromkeys(("min", "max", "mean", "median", "sd"))
    mean = sum(number * times for number, times in counts.items()) / n
    squares = math.fsum(times * (number - mean) ** 2 for number, times in counts.items())
    return {
        "n": n,
        "min": min(counts),
        "max": max(counts),
        "mean": mean,
        "median": float(median(counts.elements())),
        "sd": math.sqrt(squares / (n - 1)) if n > 1 else None,
    }


class LengthCounts:
    """Lengths of distinct texts by what they stand as, fed text by text, no text held.

    Words are counted in every text. Claims take ten times as long to find: above MOST_PARSED
    texts they are counted in SAMPLED or more of those with the least keys, which are digests.
    """

    def __init__(self) -> None:
        self._words: list[int] = []
        self._roles: list[int] = []
        self._claims: dict[int, int] = {}
        self._keys: dict[int, int] = {}
        self._limit = 1 << 64
        self._most = MOST_PARSED

    def has(self, number: int, role: int) -> bool:
        """Return whether a text was counted in this role."""
        return number < len(self._roles) and self._roles[number] & role > 0

    def add(self, number: int, key: int, role: int, text: str) -> None:
        """Count a text: its number (the next free one where it is new), its key, its role."""
        if number < len(self._roles):
            self._roles[number] |= role
            return
        self._words.append(count_words(text))
        self._roles.append(role)
        if key < self._limit:
            self._claims[number], self._keys[number] = count_claims(text), key
            if len(self._claims) > self._most:
                self._thin_out()

    def words(self) -> dict[str, Any]:
        """Describe the words of a text, of a reference and of a candidate."""
        counts = self._by_role(dict(enumerate(self._words)))
        return {name: summary(found) for name, found in counts.items()} | {"counted_by": COUNTED_BY}

    def claims(self) -> dict[str, Any]:
        """Describe the claims in a text, a reference, a candidate; `of` counts all texts."""
        counts = self._by_role(self._claims)
        everything = self._by_role(dict.fromkeys(range(len(self._roles)), 1))
        return {
            name: summary(found) | {"of": everything[name].total()}
            for name, found in counts.items()
        }

    def _by_role(self, values: Mapping[int, int]) -> dict[str, Counter[int]]:
        roles = self._roles
        return {
            "claims": Counter(values.values()),
            **{
                name: Counter(value for n, value in values.items() if roles[n] & role)
                for name, role in (("reference", REFERENCE), ("candidate", CANDIDATE))
            },
        }

    def _thin_out(self) -> None:
        self._most = 2 * SAMPLED
        self._limit = sorted(self._keys.values())[SAMPLED]
        for number in [n for n, key in self._keys.items() if key >= self._limit]:
            del self._claims[number], self._keys[number]


class Draft:
    """Rows in their order, with equal texts stored once.

    `numbers` has the numbers of each row's three texts, the reference's first; `splits` has the
    split of each row, "" for none.
    """

    def __init__(self) -> None:
        self.rows: list[DatasetRow] = []
        self.numbers: list[tuple[int, int, int]] = []
        self.splits: list[str] = []
        self.texts = TextGroups()
        self.lengths = LengthCounts()
        self._stored: dict[str, str] = {}
        self._contradicted: set[int] = set()
        self._bonds: dict[str, int] = {}
        self._latest: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def annotators(self) -> set[str]:
        """The pseudonyms of annotators whose own labels rows have."""
        return {row.annotator for row in self.rows if row.annotator}

    def add(self, row: DatasetRow, bond: str = "", latest: float = 0.0) -> int:
        """Take a row and return its place.

        Input: a row; rows with the same `bond` stay on one side where groups are split; `latest`
        is when the reference was rated last, in seconds.
        """
        reference, b, c = (self._stored.setdefault(t, t) for t in (row.reference, row.b, row.c))
        numbers = self._numbers(row)
        a = numbers[0]
        for number, role, text in zip(numbers, ROLES, (reference, b, c), strict=True):
            if not self.lengths.has(number, role):
                self.lengths.add(number, self.texts.key(number), role, text)
            self.texts.tie(a, number)
        if bond:
            self.texts.tie(a, self._bonds.setdefault(bond, a))
        self._latest[a] = max(latest, self._latest.get(a, latest))
        self.rows.append(replace(row, reference=reference, b=b, c=c))
        self.numbers.append(numbers)
        self.splits.append(row.split)
        return len(self) - 1

    def _numbers(self, row: DatasetRow) -> tuple[int, int, int]:
        number = self.texts.number
        return number(row.reference), number(row.b), number(row.c)

    def has_texts(self, place: int, row: DatasetRow) -> bool:
        """Return whether a row has the texts of the one that is there."""
        there = self.rows[place]
        return (row.reference, row.b, row.c) == (there.reference, there.b, there.c)

    def state_split(self, place: int, split: str) -> None:
        """Note the split that a row was given once more; one that contradicts leaves none."""
        if not split or place in self._contradicted:
            return
        if self.splits[place] not in (split, ""):
            self._contradicted.add(place)
            self.splits[place] = ""
        else:
            self.splits[place] = split

    def relabel(self, place: int, labels: dict[str, int]) -> None:
        """Give a row other labels than it came with."""
        self.rows[place] = replace(self.rows[place], y=labels)

    def split(self, plan: SplitPlan, tested: Collection[int] = ()) -> None:
        """Give every row its split; raise SplitError when that cannot be done as asked.

        `tested` are keys of texts, as `text_key` gives them. Where there are any, the groups with
        one of them, and no others, are the test part of a split by groups.
        """
        if plan.by == "file":
            if missing := self.splits.count(""):
                raise SplitError(
                    f"{missing} quadruplets name no split; split by reference instead."
                )
            return
        if plan.by == "item":
            of_id = deal_groups([row.id for row in self.rows], plan)
            self.splits = [of_id[row.id] for row in self.rows]
            return
        names = [self.texts.name(a) for a, _, _ in self.numbers]
        latest = self._latest_by_group() if plan.by == "time" else None
        if tested:
            plan = replace(plan, test_share=0.0)
        numbers = range(len(self.texts)) if tested else ()
        fixed = {self.texts.name(one) for one in numbers if self.texts.key(one) in tested}
        others = deal_groups(set(names) - fixed, plan, latest)
        of_name = dict.fromkeys(fixed, TEST) | others
        self.splits = [of_name[name] for name in names]

    def shared_texts(self) -> int:
        """Count the texts that stand in more than one split."""
        return shared_texts(self.numbers, self.splits)

    def lines(self) -> Iterator[bytes]:
        """Yield the canonical JSONL with splits, one line a row, once all rows are there."""
        splits = zip(self.rows, self.splits, strict=True)
        return patent_ce_jsonl.write(replace(row, split=split) for row, split in splits)

    def _latest_by_group(self) -> dict[int, float]:
        found: dict[int, float] = {}
        for number, latest in self._latest.items():
            name = self.texts.name(number)
            found[name] = max(latest, found.get(name, latest))
        return found
