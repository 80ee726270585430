"""The counts of a campaign."""

from annotator.queries.campaign_progress import AnnotatorProgress, campaign_progress


def test_progress_counts_ratings_candidates_and_conflicts(cast) -> None:
    reference = cast.reference("r1", 3)
    hers = cast.assign(cast.alice, reference)
    his = cast.assign(cast.bob, reference)
    twin = next(row for row in his if row.candidate_id == hers[0].candidate_id)
    cast.submit(hers[0], (9, 5, 5, 5))
    cast.submit(hers[1])
    cast.submit(twin, (2, 5, 5, 5))
    progress = campaign_progress(cast.campaign)
    assert (progress.references, progress.candidates, progress.ratings) == (1, 3, 3)
    assert (progress.begun, progress.complete, progress.locked) == (2, 1, 0)
    assert progress.open_conflicts == 2  # the criterion gap of 7, and 28/11 overall
    assert progress.annotators == (
        AnnotatorProgress("alice", 3, 2),
        AnnotatorProgress("bob", 3, 1),
    )
    assert [person.left for person in progress.annotators] == [1, 2]


def test_another_campaign_counts_for_nothing(cast) -> None:
    cast.reference("r1", 3, campaign=cast.elsewhere)
    progress = campaign_progress(cast.campaign)
    assert (progress.references, progress.candidates) == (0, 0)
