"""A dataset in the making: its rows, their splits, and the lengths of their texts."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from statistics import fmean, median, stdev
from typing import Any, Final

from patclaimeval.claims import languages
from patclaimeval.claims.parsing import find_markers
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
# Claims take ten times as long to count as words: of more texts, those with the least keys are a
# sample, as keys are digests.
MOST_PARSED: Final = 512


def count_claims(text: str) -> int:
    """Count the claims of a claim set, cancelled ones left out.

    Input: any text. Output: a count from 0; a text without numbers is one claim.
    """
    return sum(not mark.is_cancelled for mark in find_markers(text)) or min(1, len(text))


def summary(numbers: Sequence[int]) -> dict[str, Any]:
    """Describe whole numbers.

    Output: `n`, `min`, `max`, `mean`, `median` (of two middle ones their mean) and `sd` (over
    n - 1, as published figures are; None of one number); all but n None where there is nothing.
    """
    n = len(numbers)
    if not n:
        return {"n": 0} | dict.fromkeys(("min", "max", "mean", "median", "sd"))
    return {
        "n": n,
        "min": min(numbers),
        "max": max(numbers),
        "mean": fmean(numbers),
        "median": float(median(numbers)),
        "sd": stdev(numbers) if n > 1 else None,
    }


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
        a, b, c = (self.texts.number(text) for text in (row.reference, row.b, row.c))
        self.texts.tie(a, b)
        self.texts.tie(a, c)
        if bond:
            self.texts.tie(a, self._bonds.setdefault(bond, a))
        self._latest[a] = max(latest, self._latest.get(a, latest))
        text = self.texts.text
        self.rows.append(replace(row, reference=text(a), b=text(b), c=text(c)))
        self.numbers.append((a, b, c))
        self.splits.append(row.split)
        return len(self) - 1

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

    def words(self) -> dict[str, Any]:
        """Describe the words of a text, of a reference and of a candidate, each text once."""
        counts = [len(languages.words(text)) for text in self.texts]
        found = {
            name: summary([counts[number] for number in numbers])
            for name, numbers in self._roles().items()
        }
        return found | {"counted_by": COUNTED_BY}

    def claims(self) -> dict[str, Any]:
        """Describe the claims of at most MOST_PARSED texts in the same way; `of` counts all."""
        parsed = sorted(range(len(self.texts)), key=self.texts.key)[:MOST_PARSED]
        counts = {number: count_claims(self.texts.text(number)) for number in parsed}
        return {
            name: summary([counts[n] for n in numbers if n in counts]) | {"of": len(numbers)}
            for name, numbers in self._roles().items()
        }

    def _roles(self) -> dict[str, Collection[int]]:
        return {
            "claims": range(len(self.texts)),
            "reference": {a for a, _, _ in self.numbers},
            "candidate": {number for _, *sides in self.numbers for number in sides},
        }

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
