"""Rows of a draft: groups that stay together, and bytes that are the writer's own."""

import io
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.rubric import ALL_CRITERIA
from scoring.datasets.drafts import Draft
from scoring.formats import patent_ce_jsonl
from scoring.formats import rows as formats_rows
from scoring.quadruplets import SPLIT_NAMES, DatasetRow, SplitError, SplitPlan


def a_row(name: str, a: str, b: str, c: str, **more: Any) -> DatasetRow:
    return DatasetRow(
        name, f"ref {a}", a, b, c, f"id {b}", f"id {c}", {"overall_quality": 1}, **more
    )


# Enough texts and bonds that most lists fall into several groups, few enough that some tie.
text = st.integers(0, 150).map("text {}".format)
bond = st.sampled_from(["", "", "", *(f"F{n}" for n in range(9))])
rated_last = st.integers(0, 5).map(float)
some_rows = st.lists(st.tuples(text, text, text, bond, rated_last), min_size=1, max_size=25)


def split_draft(rows: list[tuple[str, str, str, str, float]], plan: SplitPlan) -> Draft | None:
    """Return a draft of the rows, split; None where they are rightly refused as too few groups."""
    draft = Draft()
    for n, (a, b, c, bond, latest) in enumerate(rows):
        draft.add(a_row(f"q{n}", a, b, c), bond, latest)
    try:
        draft.split(plan)
    except SplitError:
        assert len({draft.texts.name(a) for a, _, _ in draft.numbers}) < len(SPLIT_NAMES)
        return None
    return draft


@given(some_rows, st.sampled_from(["reference", "family", "ipc", "time"]), st.integers(0, 3))
def test_no_split_of_groups_parts_a_text_or_a_bond(rows, by, seed) -> None:
    draft = split_draft(rows, SplitPlan(by, 0.2, 0.2, seed))
    if draft is None:
        return
    sides: dict[str, set[str]] = {}
    for (*texts, bond, _), split in zip(rows, draft.splits, strict=True):
        for one in [*texts, *([f"bond {bond}"] if bond else [])]:
            sides.setdefault(one, set()).add(split)
    assert {len(found) for found in sides.values()} == {1}
    assert draft.shared_texts() == 0
    assert set(draft.splits) == set(SPLIT_NAMES)


@given(some_rows)
def test_a_split_by_time_tests_on_nothing_older_than_what_trains(rows) -> None:
    draft = split_draft(rows, SplitPlan("time", 0.3, 0.2))
    if draft is None:
        return
    groups: dict[int, tuple[float, str]] = {}
    for (number, *_), (*_, latest), split in zip(draft.numbers, rows, draft.splits, strict=True):
        name = draft.texts.name(number)
        groups[name] = (max(latest, groups.get(name, (latest, ""))[0]), split)
    newest = {s: max(t for t, found in groups.values() if found == s) for s in SPLIT_NAMES}
    oldest = {s: min(t for t, found in groups.values() if found == s) for s in SPLIT_NAMES}
    assert oldest["test"] >= newest["validation"]
    assert oldest["validation"] >= newest["train"]


# Words that look like what a line is cut at, and all that JSON or lines might trip over.
nasty = st.sampled_from(
    [', "split": ""', ', "y": {}', "}", '"', "\\", "\u2028", "\x0b", "é", "e\u0301"]
)
claims = st.lists(nasty | st.text(max_size=5), min_size=1, max_size=4).map("".join)
labels = st.dictionaries(st.sampled_from(ALL_CRITERIA), st.sampled_from([1, 0, -1]), min_size=1)
any_row = st.builds(
    DatasetRow,
    st.integers(0, 10**6).map(str),
    *[claims] * 6,
    y=labels,
    split=st.sampled_from(["", *SPLIT_NAMES]),
    provenance=st.just({"policy": ', "split": ""'}),
    extras=st.dictionaries(st.just("family"), claims),
)
any_rows = st.lists(any_row, min_size=1, max_size=6, unique_by=lambda row: row.id)


@given(any_rows, labels)
def test_the_lines_are_the_writers_own_with_split_and_labels_put_in(rows, more) -> None:
    draft = Draft()
    for one in rows:
        draft.add(one)
    merged = {**more, **rows[0].y}
    draft.relabel(0, merged)
    draft.split(SplitPlan("item", 0, 0))
    expected = [replace(one, split="train") for one in [replace(rows[0], y=merged), *rows[1:]]]
    written = b"".join(draft.lines())
    assert written == b"".join(patent_ce_jsonl.write(expected))
    assert list(formats_rows.read(io.BytesIO(written))) == expected


def test_a_row_without_a_split_is_refused_where_files_are_to_say_it() -> None:
    draft = Draft()
    draft.add(a_row("q1", "A", "B", "C", split="test"))
    draft.split(SplitPlan("file"))
    assert draft.splits == ["test"]
    draft.add(a_row("q2", "A", "B", "D"))
    with pytest.raises(SplitError, match="1 quadruplets name no split"):
        draft.split(SplitPlan("file"))
