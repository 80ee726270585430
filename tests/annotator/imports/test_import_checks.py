import gzip
import io
import json
from itertools import combinations
from typing import Any

import pytest

from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.formats import label_studio
from annotator.imports.checks import PREVIEWED, PREVIEWED_CHARACTERS, check_claims
from annotator.imports.claims.services import import_claims
from annotator.imports.preferences.queries import preference_check
from annotator.imports.preferences.services import import_preferences
from annotator.models import Campaign, Candidate, Comparison, Preference, Purpose, Reference
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.rubric import ALL_CRITERIA, OVERALL
from patclaimeval.text_io.streams import FormatError
from tests.annotator.formats.exports import as_bytes, item
from tests.faults import raising

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def line(name: str, *candidates: str, text: str = "", **more: Any) -> dict[str, Any]:
    rows = [
        {"candidate_id": c, "claims": f"1. A mug {c} of {name}."} for c in candidates or ("c1",)
    ]
    claims = text or f"1. A cup {name}."
    return {"reference_id": name, "reference_claims": claims, "candidates": rows} | more


def file(*lines: dict[str, Any]) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(one) + "\n" for one in lines).encode())


def store(campaign: Campaign, name: str, *candidates: str, text: str = "") -> None:
    made = tuple(CandidateRecord(c, f"1. A mug {c} of {name}.") for c in candidates or ("c1",))
    record = ReferenceRecord(name, text or f"1. A cup {name}.", made)
    import_claims(campaign=campaign, records=[record])


def counted(*numbers: int, **more: int) -> dict[str, int]:
    names = ("references", "candidates", "known_references", "known_candidates")
    return dict(zip(names, numbers, strict=True)) | more


def test_new_and_known_are_counted_and_nothing_is_stored(campaign: Campaign) -> None:
    store(campaign, "r1", "c1")
    found = check_claims(campaign=campaign, file=file(line("r1", "c1", "c2"), line("r2")))
    assert found.format == "claims-jsonl"
    assert found.counts == counted(1, 2, 1, 1)
    assert Reference.objects.count() == Candidate.objects.count() == 1
    packed = io.BytesIO(gzip.compress(file(line("r1"), line("r2")).getvalue()))
    without = check_claims(campaign=None, file=packed)
    assert (without.counts["references"], without.counts["known_references"]) == (2, 0)


def test_an_id_with_another_text_is_a_bad_record_with_its_line(campaign: Campaign) -> None:
    store(campaign, "r1", text="1. A pot.")
    store(campaign, "r2", "c1")
    other = line("r2")
    other["candidates"][0]["claims"] = "1. A jug."
    with pytest.raises(FormatError) as caught:
        check_claims(campaign=campaign, file=file(line("r0"), line("r1"), other))
    found = [(bad.line, bad.field) for bad in caught.value.bad_records]
    assert found == [(2, "reference_id"), (3, "candidate_id")]
    assert "give the new text a new id" in caught.value.bad_records[0].reason


def test_alike_texts_of_the_file_and_of_the_campaign_are_reported(campaign: Campaign) -> None:
    store(campaign, "r1", text="1. A cup.")
    found = check_claims(
        campaign=campaign,
        file=file(line("r1", text="1. A cup."), line("r2", text="1. A  cup."), line("r3")),
    )
    (pair,) = found.near_duplicates
    assert pair == {
        "first": {"reference_id": "r1", "candidate_id": ""},
        "second": {"reference_id": "r2", "candidate_id": ""},
        "likeness": "white_space",
        "similarity": 1.0,
        "is_own_reference": False,
        "words": "Reference 'r2' has the same text, but for white space, as reference 'r1'",
    }


def test_what_the_app_made_itself_is_not_compared_with(campaign: Campaign) -> None:
    store(campaign, "r1")
    more = {"candidate_id": "x", "claims": "1. A cup r2.", "purpose": Purpose.SENTINEL}
    Candidate.objects.create(reference=Reference.objects.get(), campaign=campaign, **more)
    found = check_claims(campaign=campaign, file=file(line("r2")))
    assert found.near_duplicates == []


def test_signs_that_mislead_are_noted_with_the_first_text_that_has_them() -> None:
    odd = line("r2", text="1. A \u202ecup.")
    found = check_claims(campaign=None, file=file(line("r1"), odd, line("r3", text="\u202e3")))
    assert found.notes == [
        "2 texts hold U+202E RIGHT-TO-LEFT OVERRIDE; the first is reference 'r2'."
    ]


def test_the_first_references_are_shown_and_long_texts_cut() -> None:
    lines = [line(f"r{n}", title=f"T{n}") for n in range(PREVIEWED + 3)]
    lines[0]["reference_claims"] = "1. " + "x" * PREVIEWED_CHARACTERS
    found = check_claims(campaign=None, file=file(*lines))
    assert [one["reference_id"] for one in found.preview] == [f"r{n}" for n in range(PREVIEWED)]
    assert len(found.preview[0]["claims"]) == PREVIEWED_CHARACTERS + 1
    assert found.preview[1] == {
        "reference_id": "r1",
        "title": "T1",
        "claims": "1. A cup r1.",
        "context": [],
        "candidates": [{"candidate_id": "c1", "claims": "1. A mug c1 of r1."}],
    }


def test_progress_is_reported_of_each_record_and_may_stop_the_reading() -> None:
    counts: list[int] = []
    lines = [line("r1"), line("r2")]
    check_claims(campaign=None, file=file(*lines), progress=counts.append)
    assert counts == [1, 2]
    stop = raising(RuntimeError("lost"))
    with pytest.raises(RuntimeError, match="lost"):
        check_claims(campaign=None, file=file(*lines), progress=stop)


def test_an_export_of_preferences_counts_texts_and_annotations(campaign: Campaign) -> None:
    data = as_bytes(item(), item(annotator=8))
    first = check_claims(campaign=campaign, file=io.BytesIO(data))
    assert first.format == "label-studio"
    assert first.counts == counted(1, 2, 0, 0, annotations=2, known_annotations=0)
    import_preferences(campaign=campaign, records=label_studio.read(io.BytesIO(data)))
    again = check_claims(campaign=campaign, file=io.BytesIO(data))
    assert again.counts == counted(0, 0, 1, 2, annotations=0, known_annotations=2)
    assert again.near_duplicates == []
    assert check_claims(campaign=None, file=io.BytesIO(data)).counts == first.counts


def compare(cast, user, reference) -> Comparison:
    pairs = list(combinations(reference.candidates.all(), 2))
    return assign_comparisons(campaign=reference.campaign, annotator=user, pairs=pairs)[0]


def log(row: Comparison, **given: int) -> None:
    judgements = dict.fromkeys(ALL_CRITERIA, 0) | given
    submit_preference(comparison_id=row.pk, annotator=row.annotator, judgements=judgements)


def rate(cast, row: Comparison, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    for assignment in cast.assign(row.annotator, row.left.reference):
        cast.submit(assignment, left if assignment.candidate_id == row.left_id else right)


def test_nothing_is_counted_before_both_are_there(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    empty = preference_check(cast.campaign)
    assert (empty.asked, empty.answered, empty.n) == (1, 0, 0)
    assert all(entry.share is None for entry in empty.criteria)
    log(row)
    first, second = cast.assign(cast.alice, row.left.reference)
    cast.submit(first)
    assert (preference_check(cast.campaign).answered, preference_check(cast.campaign).n) == (1, 0)
    cast.submit(second)
    assert preference_check(cast.campaign).n == 1


def test_anothers_ratings_and_another_campaign_do_not_count(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row)
    for assignment in cast.assign(cast.bob, row.left.reference):
        cast.submit(assignment)
    assert preference_check(cast.campaign).n == 0
    assert preference_check(cast.elsewhere).asked == 0


def test_each_criterion_counts_derived_against_direct(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row, feature_completeness=1, conceptual_clarity=-1, logical_linkage=1)
    rate(cast, row, (9, 9, 4, 4), (3, 5, 4, 8))
    found = {entry.key: entry for entry in preference_check(cast.campaign).criteria}
    assert found["feature_completeness"].table == ((1, 0, 0), (0, 0, 0), (0, 0, 0))
    assert found["conceptual_clarity"].table == ((0, 0, 1), (0, 0, 0), (0, 0, 0))
    assert found["terminology_consistency"].table == ((0, 0, 0), (0, 1, 0), (0, 0, 0))
    assert found["logical_linkage"].table == ((0, 0, 0), (0, 0, 0), (1, 0, 0))
    assert [entry.same for entry in found.values()] == [1, 0, 1, 0, 0]
    assert found[OVERALL].table == ((0, 1, 0), (0, 0, 0), (0, 0, 0))


def test_the_overall_goes_by_exact_numerators(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row, overall_quality=0)
    # 4·5 + 3·4 = 4·2 + 3·8: equal overalls of unequal scores.
    rate(cast, row, (5, 0, 0, 4), (2, 0, 0, 8))
    overall = preference_check(cast.campaign).criteria[-1]
    assert (overall.key, overall.same, overall.n) == (OVERALL, 1, 1)


def test_a_preference_of_the_overall_only_counts_there_only(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row, overall_quality=1)
    Preference.objects.update(**dict.fromkeys(ALL_CRITERIA[:-1], None))
    rate(cast, row, (9, 9, 9, 9), (3, 3, 3, 3))
    check = preference_check(cast.campaign)
    assert [entry.n for entry in check.criteria] == [0, 0, 0, 0, 1]
    assert [entry.share is None for entry in check.criteria] == [True] * 4 + [False]
    assert (check.n, check.criteria[-1].same) == (1, 1)
