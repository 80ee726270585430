"""Lines of an export of ratings as the query gives them: a fixed few, and any that could come."""

from typing import Any, Final

from hypothesis import strategies as st

from annotator.formats.ratings_jsonl import PREFERENCE_KEYS, RATING_KEYS
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, overall_numerator, overall_text

AT: Final = "2026-01-05T08:00:00.000000Z"
LATER: Final = "2026-01-05T09:00:00.000001Z"
TAG: Final = {"tag": "vagueness", "side": "candidate", "start": 3, "end": 8, "remark": "=which?"}


def scored(scores: dict[str, int], comment: str, tags: list[Any]) -> dict[str, Any]:
    numerator = overall_numerator(scores)
    return {
        "scores": scores,
        "overall_quality": {"numerator": numerator, "value": float(overall_text(numerator))},
        "comment": comment,
        "error_tags": tags,
        "active_seconds": 90,
        "is_blind": True,
        "shown": {"aligned": True, "diff": True, "marks": False},
        "round": 1,
    }


def rating(four: tuple[int, ...], comment: str = "", **more: Any) -> dict[str, Any]:
    """Return a rating that was revised once; its first revision had no comment."""
    scores = dict(zip(CRITERIA, four, strict=True))
    line = {
        "kind": "rating",
        "id": None,
        "reference_id": "EP1",
        "reference_sha256": "a" * 64,
        "candidate_id": "c1",
        "candidate_sha256": "b" * 64,
        "system": None,
        "purpose": "rated",
        "repeats": None,
        "annotator": "annotator-0123456789",
        "by_admin": False,
        **scored(scores, comment, [TAG]),
        "rubric_version": "1",
        "version": 2,
        "submitted_at": AT,
        "revised_at": LATER,
        "revisions": [
            {"number": 1, "made_at": AT} | scored(scores, "", []),
            {"number": 2, "made_at": LATER} | scored(scores, comment, [TAG]),
        ],
    } | more
    assert tuple(line) == RATING_KEYS, "Give each field that is exported a value in `scored`."
    return line


def preference(judgements: dict[str, int], comment: str = "", **more: Any) -> dict[str, Any]:
    stated = {"judgements": judgements, "comment": comment, "error_tags": []}
    line = {
        "kind": "preference",
        "id": None,
        "reference_id": "EP1",
        "reference_sha256": "a" * 64,
        "left_id": "c1",
        "left_sha256": "b" * 64,
        "left_system": "gpt",
        "right_id": "c2",
        "right_sha256": "c" * 64,
        "right_system": "",
        "annotator": None,
        "by_admin": None,
        **stated,
        "rubric_version": "1",
        "version": 1,
        "submitted_at": AT,
        "revised_at": AT,
        "revisions": [{"number": 1, "made_at": AT} | stated],
    } | more
    assert tuple(line) == PREFERENCE_KEYS
    return line


FEW: Final = (
    rating((9, 8, 7, 6), '=HYPERLINK("x"),\r\n\u2028 \U0001f600'),
    rating((0, 0, 0, 0), "'-1", system="@system", purpose="repeat", repeats="c0"),
    preference({"conceptual_clarity": 0, "overall_quality": -1}, "\uff1d1"),
)

# What a database holds and a person types: no NUL, no half of a surrogate pair.
TEXTS: Final = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=12
) | st.sampled_from(
    ["=1", "+1", "-1", "@a", "\t", "\r", "'=", "'", '"', ",", "\r\n", "\n=", "e\u0301"]
)
IDS: Final = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=8
)
FOURS: Final = st.tuples(*[st.integers(0, 10)] * 4)
ANSWERS: Final = st.dictionaries(st.sampled_from(ALL_CRITERIA), st.sampled_from([1, 0, -1]))
RATINGS: Final = st.builds(
    rating, FOURS, TEXTS, candidate_id=IDS, system=st.none() | TEXTS, annotator=st.none() | TEXTS
)
PREFERENCES: Final = st.builds(
    lambda answers, comment, left, right: preference(
        answers | {"overall_quality": 1}, comment, left_id=left, right_id=right
    ),
    *(ANSWERS, TEXTS, IDS, IDS),
)
LINES: Final = st.lists(RATINGS | PREFERENCES, max_size=6)
