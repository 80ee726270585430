import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.typology import (
    ABSTRACT_TAGS,
    CLAIM_TAGS,
    LONGEST_REMARK,
    MOST_TAGS,
    OF_A_NUMBER,
    TAGS_OF_MARKS,
    clean_tags,
    grouped,
    quote_of,
    tag_of,
)
from patclaimeval.claims.invisible import KIND as INVISIBLE
from patclaimeval.claims.mark_kinds import FOREIGN, KINDS
from patclaimeval.rubric import CRITERIA

TAGS = (*CLAIM_TAGS, *ABSTRACT_TAGS)
# A character outside the first plane: one code point, two UTF-16 units.
TEXTS = {"candidate": "1. A \U0001d450up of the said handle.", "reference": "1. A cup."}
VAGUE: dict[str, Any] = {"tag": "vagueness", "side": "candidate"}


def spans(text: str) -> st.SearchStrategy[dict[str, int]]:
    return st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))).map(
        lambda ends: {"start": min(ends), "end": max(*ends, min(ends) + 1)}
    )


entries = st.sampled_from(sorted(TEXTS)).flatmap(
    lambda side: st.builds(
        lambda tag, span, remark: {"tag": tag, "side": side} | span | remark,
        st.sampled_from([tag.published for tag in CLAIM_TAGS]),
        st.one_of(st.just({}), spans(TEXTS[side])),
        st.one_of(st.just({}), st.fixed_dictionaries({"remark": st.just("see claim 2")})),
    )
)


def test_every_code_is_a_slug_used_once_and_stored_ones_never_change() -> None:
    assert (len(CLAIM_TAGS), len(ABSTRACT_TAGS)) == (20, 7)
    codes = [tag.code for tag in TAGS]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)
    assert {tag.code for tag in CLAIM_TAGS} >= {
        "antecedent-reference-errors",
        "punctuation-discrepancy",
        "sub-optimal-claim-structure",
        "non-compliant-dependency",
    }


def test_every_definition_is_one_sentence_of_its_own_and_touches_known_criteria() -> None:
    assert len({tag.definition for tag in TAGS}) == len(TAGS)
    for tag in TAGS:
        assert tag.definition.endswith(".") and "\n" not in tag.definition
        assert 40 <= len(tag.definition) <= 170, tag.code
        assert tag.criteria and set(tag.criteria) <= set(CRITERIA)


@pytest.mark.parametrize("tag", TAGS, ids=lambda tag: tag.code)
def test_a_tag_is_found_by_code_name_and_published_label_whatever_case_and_dash(tag) -> None:
    for words in (tag.code, tag.name, tag.published, f"{tag.group} - {tag.name}"):
        assert tag_of(words) is tag
        assert tag_of(f"  {words.upper()} ") is tag
        assert tag_of(words.replace(" - ", " \u2013 ").replace("-", "\u2010")) is tag


def test_published_labels_are_those_of_the_export() -> None:
    labels = {tag.code: tag.published for tag in TAGS}
    assert labels["punctuation-discrepancy"] == "Grammar - Punctuation Discrepancy"
    assert labels["preamble-inconsistency-error"] == "Format - Preamble Inconsistency Error"
    assert labels["non-compliant-dependency"] == (
        "Dependency - Non-compliant Dependency with instruction"
    )
    assert labels["irrelevant-matter-introduction"] == "Relevance - Irrelevant Matter Introduction"
    assert labels["unclarity"] == "Unclarity"


@pytest.mark.parametrize("words", ["", "-", "clarity", "Grammar - Vagueness", "vaguenes"])
def test_other_words_are_no_tag(words: str) -> None:
    assert tag_of(words) is None


def test_groups_hold_every_tag_of_their_task_once_and_no_group_comes_twice() -> None:
    for task, tags in (("claims", CLAIM_TAGS), ("abstracts", ABSTRACT_TAGS)):
        groups = grouped(task)
        assert [tag for _, members in groups for tag in members] == list(tags)
        assert len({name for name, _ in groups}) == len(groups)
    with pytest.raises(ValueError, match="no tags for drawings"):
        grouped("drawings")


def test_span_side_and_remark_are_kept_and_what_is_absent_is_left_out() -> None:
    sent = {"tag": "Vagueness", "side": "reference", "start": 0, "end": 9, "remark": "all of it"}
    assert clean_tags([sent], TEXTS) == [sent | {"tag": "vagueness"}]
    assert clean_tags([VAGUE | {"remark": "  "}], TEXTS) == [VAGUE]
    # A bare label is of the candidate.
    assert clean_tags(["Clarity - Vagueness"], TEXTS) == [VAGUE]
    assert clean_tags([], TEXTS) == []


def test_spans_count_code_points_and_their_quote_comes_from_the_text() -> None:
    (stored,) = clean_tags([VAGUE | {"start": 5, "end": 8}], TEXTS)
    assert quote_of(stored, TEXTS) == "\U0001d450up"
    assert quote_of(VAGUE, TEXTS) == ""
    assert "cup" not in repr(stored)


def test_exact_duplicates_are_dropped_and_near_ones_are_not() -> None:
    sent = ["vagueness", VAGUE, VAGUE | {"start": 0, "end": 2}, VAGUE | {"start": 0, "end": 3}]
    assert len(clean_tags(sent, TEXTS)) == 3
    assert len(clean_tags([VAGUE] * 1000, TEXTS)) == 1


def test_a_hundred_tags_are_taken_and_one_more_is_not() -> None:
    texts = TEXTS | {"candidate": "x" * 200}
    sent = [VAGUE | {"start": at, "end": at + 1} for at in range(MOST_TAGS + 1)]
    assert len(clean_tags(sent[:-1], texts)) == MOST_TAGS
    with pytest.raises(ValueError, match="may have 100 error tags"):
        clean_tags(sent, texts)


@given(st.lists(entries, max_size=20))
def test_cleaning_what_is_stored_changes_nothing(sent: list[dict[str, Any]]) -> None:
    stored = clean_tags(sent, TEXTS)
    assert clean_tags(stored, TEXTS) == stored
    assert len(stored) <= len(sent)
    for entry in stored:
        assert set(entry) <= {"tag", "side", "start", "end", "remark"}
        assert quote_of(entry, TEXTS) in TEXTS[entry["side"]]


BEYOND = len(TEXTS["candidate"]) + 1
WRONG: dict[str, list[Any]] = {
    "neither": [7, None, ["vagueness"]],
    "tag is missing": [{}, {"tag": 3}],
    "none of the 20 claims tags": ["vaguenes", "Unclarity"],
    "no place for 'quote'": [VAGUE | {"quote": "cup"}],
    "side is candidate or reference": [VAGUE | {"side": "both"}, VAGUE | {"side": []}],
    "together": [VAGUE | {"start": 1}, VAGUE | {"end": 1}],
    "whole numbers": [
        *(VAGUE | {"start": start, "end": 2} for start in (True, 1.0, "1")),
        VAGUE | {"start": None, "end": None},
    ],
    "0 <= start < end": [
        VAGUE | {"start": start, "end": end} for start, end in ((-1, 2), (2, 2), (0, BEYOND))
    ],
    "<= 9": [VAGUE | {"side": "reference", "start": 0, "end": 10}],
    "no text": [VAGUE | {"remark": 3}],
    "may have 500 characters": [VAGUE | {"remark": "x" * (LONGEST_REMARK + 1)}],
    "NUL": [VAGUE | {"remark": "a\x00b"}],
    "broken character": [VAGUE | {"remark": "\ud83d"}],
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_entry_is_named_by_its_number_with_what_is_wrong(words: str) -> None:
    for wrong in WRONG[words]:
        with pytest.raises(ValueError, match=re.escape(words)) as caught:
            clean_tags(["vagueness", wrong], TEXTS)
        assert str(caught.value).startswith("Error tag 2: ")


@pytest.mark.parametrize("wrong", ["vagueness", {"tag": "vagueness"}, None])
def test_tags_that_are_no_list_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="as a list"):
        clean_tags(wrong, TEXTS)


def test_an_abstract_takes_abstract_tags_only() -> None:
    texts = {"candidate": "A cup.", "reference": "1. A cup."}
    assert clean_tags(["Unclarity"], texts, task="abstracts")[0]["tag"] == "unclarity"
    with pytest.raises(ValueError, match="none of the 7 abstracts tags"):
        clean_tags(["Vagueness"], texts, task="abstracts")


def test_each_kind_of_mark_that_is_an_error_has_a_claim_tag() -> None:
    codes = {tag.code for tag in CLAIM_TAGS}
    assert set(TAGS_OF_MARKS.values()) <= codes
    # A term that the reference does not have may be right, and nobody meant a character unseen.
    expected = {kind.name for kind in KINDS} - {FOREIGN, INVISIBLE} | {OF_A_NUMBER}
    assert set(TAGS_OF_MARKS) == expected
