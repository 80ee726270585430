"""What a Word document of claims holds: whose text, which differences, whose remarks; no names.

Nothing here reveals an account, a system or a score of a model: annotators are "Annotator" with the
number of the page that shows their remarks, or none.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from annotator.adjudication.rulings.queries import AdjudicationPage, Part
from annotator.export_headers import CONFIDENTIAL
from annotator.models import Adjudication, Candidate, Reference
from annotator.rating.queries import RatePage
from annotator.rating_values import ERROR_TAGS, points_text
from annotator.reading import read_tags
from annotator.typology import CANDIDATE as CANDIDATE_SIDE
from annotator.typology import tag_of
from core.errors import OutOfDate, Refused
from patclaimeval.claims.change_classes import CLASSES, Change
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.claims.reading_limits import CHARACTERS, CLAIMS
from patclaimeval.claims.tracked_changes import track_changes, unchanged
from patclaimeval.documents.word_writer import Comment, WordFile, first_unwritable
from patclaimeval.rubric import ALL_CRITERIA, NAMES

ANNOTATOR: Final = "Annotator"
ADJUDICATOR: Final = "Adjudicator"
TOO_LONG: Final = (
    "These texts are too long to be compared, here as on their page: differences are looked for "
    f"in up to {CHARACTERS.most:,} characters of both together and {CLAIMS.most:,} claims of each."
)
ERASED: Final = "The texts of this reference were erased: there is nothing to download."
_SIDES: Final = ("reference", CANDIDATE_SIDE)
REJECTED: Final = "Rejected, the changes give the reference; accepted, the candidate."
ACCEPTED: Final = (
    "Accepted, the changes give the candidate. Not tracked, and here as in the candidate: "
)


def claims_file(reference: Reference, candidate: Candidate | None) -> WordFile:
    """Return a reference, or one of its candidates, as it is stored."""
    _refuse_erased(reference)
    text = candidate.claims if candidate else reference.claims
    title = f"Reference {reference.reference_id}"
    lines = [reference.title] if reference.title else []
    if candidate:
        lines = [f"Of reference {reference.reference_id}", *lines]
        title = f"Candidate {candidate.candidate_id}"
    _refuse_unwritable(title, text)
    return WordFile(title, lines, CONFIDENTIAL, unchanged(text))


def marks_file(page: RatePage, tracked: Collection[Change], now: datetime) -> WordFile:
    """Return how a candidate differs from its reference, with its annotator's own tags and comment.

    As on the page, a draft comes before the rating that it would change.
    """
    reference, candidate = page.texts
    texts = {"reference": reference.claims, CANDIDATE_SIDE: candidate.claims}
    tags: Sequence[Mapping[str, Any]] = ()
    comment, made_at = "", now
    if page.draft is not None:
        typed, made_at = page.draft.typed, page.draft.saved_at
        tags = read_tags(str(typed.get(ERROR_TAGS, "")), texts)
        comment = str(typed.get("comment", ""))
    elif page.rating is not None:
        tags, comment = page.rating.error_tags, page.rating.comment
        made_at = page.rating.revised_at
    comments = [*_commented(comment, ANNOTATOR), *_tagged(tags, ANNOTATOR)]
    title = page.assignment.label
    return _changed(title, reference, candidate.claims, tracked, comments, (ANNOTATOR, made_at))


def ruling_file(
    page: AdjudicationPage, part: Part, ruling: Adjudication, tracked: Collection[Change]
) -> WordFile:
    """Return how a candidate differs from its reference, with its ruling and what annotators wrote.

    Annotators have the numbers of the page. What they wrote for the adjudicator alone stays out.
    """
    values = [f"{NAMES[key]} {points_text(key, (part.ruled or {})[key])}" for key in ALL_CRITERIA]
    comments = [_ruled(ruling, ", ".join(values))]
    # As on the page: only in a turn of one's own, or once they are locked.
    for one in part.ratings if page.is_shown else ():
        author = f"{ANNOTATOR} {one.number}"
        comments += [*_commented(one.texts.get("comment", ""), author), *_tagged(one.tags, author)]
    made = (ADJUDICATOR, ruling.made_at)
    return _changed(part.name, page.reference, part.claims, tracked, comments, made)


def signed_file(
    ruling: Adjudication, candidate: Candidate, tracked: Collection[Change]
) -> WordFile:
    """Return how a candidate differs from its reference, with the ruling on it, for an admin."""
    title = f"Candidate {candidate.candidate_id}"
    made = (ADJUDICATOR, ruling.made_at)
    return _changed(
        title, candidate.reference, candidate.claims, tracked, [_ruled(ruling, "")], made
    )


def _changed(
    title: str,
    reference: Reference,
    claims: str,
    tracked: Collection[Change],
    comments: Sequence[Comment],
    made: tuple[str, datetime],
) -> WordFile:
    _refuse_erased(reference)
    of = f"reference {reference.reference_id}"
    _refuse_unwritable(of, reference.claims)
    _refuse_unwritable(title, claims)
    _refuse_too_long(reference.claims, claims)
    author, at = made
    return WordFile(
        title,
        [f"Changes from {of}", *([reference.title] if reference.title else []), _note(tracked)],
        CONFIDENTIAL,
        track_changes(reference.claims, claims, tracked),
        author=author,
        date=at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        comments=comments,
    )


def _refuse_too_long(reference: str, candidate: str) -> None:
    """Refuse what the pages do not compare either."""
    characters = len(reference) + len(candidate)
    claims = max(len(parse_claims(reference)), len(parse_claims(candidate)))
    if characters > CHARACTERS.most or claims > CLAIMS.most:
        raise Refused(TOO_LONG)


def _note(tracked: Collection[Change]) -> str:
    """Return what the changes give, accepted and rejected."""
    left = [
        one.label.lower()
        for one in CLASSES
        if one.change not in tracked and one.change is not Change.SUBSTANCE
    ]
    return f"{ACCEPTED}{', '.join(left)}." if left else REJECTED


def _ruled(ruling: Adjudication, values: str) -> Comment:
    decided = f"Ruling: {ruling.get_decision_display()}; {ruling.get_reason_code_display()}."
    if not ruling.is_valid:
        decided = f"Void. {decided}"
    return Comment("\n".join(filter(None, (decided, values, ruling.reason))), ADJUDICATOR)


def _commented(comment: str, author: str) -> list[Comment]:
    return [Comment(comment, author)] if comment.strip() else []


def _tagged(tags: Iterable[Mapping[str, Any]], author: str) -> Iterable[Comment]:
    for stored in tags:
        tag = tag_of(stored["tag"])
        text = ". ".join(filter(None, (tag.name if tag else stored["tag"], stored.get("remark"))))
        if "start" in stored and stored["side"] in _SIDES:
            yield Comment(text, author, stored["side"], stored["start"], stored["end"])
        else:
            yield Comment(text, author)


def _refuse_erased(reference: Reference) -> None:
    if reference.erased_at is not None:
        raise OutOfDate(ERASED)


def _refuse_unwritable(name: str, text: str) -> None:
    found = first_unwritable(text)
    if found is not None:
        raise Refused(
            f"{name[0].upper()}{name[1:]} holds {found[1]} as character {found[0] + 1:,}, which no "
            "Word document can hold. Import the text without it under a new id, and take that."
        )
