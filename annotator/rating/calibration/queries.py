"""What of a campaign's calibration an annotator is to rate, and what admins see of it.

Agreed scores and their reasons are read for an annotator only once their own answer is stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from annotator.access.scopes import (
    annotators_of,
    campaigns_for,
    recused_references,
    roles_of,
)
from annotator.exemplars import LESSONS, Example, Lesson
from annotator.models import (
    GENUINE,
    CalibrationAnswer,
    CalibrationItem,
    Campaign,
    CampaignStatus,
    Candidate,
    Rating,
    Reference,
    Role,
    User,
)
from annotator.rating.calibration.rules import (
    deviations,
    mean_absolute_deviations,
    points_with_overall,
)
from annotator.rating.queries import ReadingPage
from annotator.rating_values import mean_text, points_text
from core.errors import OutOfDate
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, NAMES, Band, band_of

CALIBRATE_FIRST: Final = (
    "This campaign starts with a calibration: rate its items first. They stand at the top of your "
    "queue."
)
EXAMPLES: Final[dict[str, tuple[Lesson, Example]]] = {
    f"{lesson.criterion}-{number}": (lesson, example)
    for lesson in LESSONS
    for number, example in enumerate(lesson.examples, start=1)
}


def example_label(key: str) -> str:
    """Return how a worked example is called on a page of admins."""
    lesson, example = EXAMPLES[key]
    return f"{NAMES[lesson.criterion]}: {example.point} ({lesson.title})"


def candidate_named(campaign: Campaign, reference: str, candidate: str) -> Candidate | None:
    """Return a candidate of the campaign by the ids of its import; None for no such."""
    rows = Candidate.objects.filter(campaign=campaign, reference__reference_id=reference)
    return rows.filter(candidate_id=candidate).defer("claims").first()


MOST_OFFERED: Final = 500


def offered_names(campaign: Campaign) -> tuple[list[tuple[str, str]], list[str]]:
    """Return references by id and title, and the ids of candidates: what a form offers to choose.

    Of a campaign with very many the first; the others are typed.
    """
    references = campaign.references.filter(erased_at=None).order_by("position", "pk")
    rows = Candidate.objects.filter(campaign=campaign, reference__erased_at=None)
    candidates = rows.filter(purpose__in=GENUINE).order_by("candidate_id")
    return (
        list(references.values_list("reference_id", "title")[:MOST_OFFERED]),
        list(candidates.values_list("candidate_id", flat=True).distinct()[:MOST_OFFERED]),
    )


def _items_to_read(user: User) -> QuerySet[CalibrationItem]:
    recused = recused_references(user.pk)
    return CalibrationItem.objects.exclude(candidate__reference__in=recused)


def unanswered(user: User) -> QuerySet[CalibrationItem]:
    """Return the items that the user has not answered, without what is agreed on them.

    Items of a reference from which they recused themselves are left out.
    """
    answers = CalibrationAnswer.objects.filter(item=OuterRef("pk"), annotator=user)
    rows = _items_to_read(user).filter(~Exists(answers))
    return rows.defer("scores", "reasons").order_by("position")


def first_due(campaign: Campaign, user: User) -> CalibrationItem | None:
    """Return what the annotator is to rate before anything else; None when nothing is.

    Who has rated in the campaign already is not called back by items that were added since.
    """
    if not (campaign.has_calibration and campaign.is_open):
        return None
    if Rating.objects.filter(assignment__campaign=campaign, annotator=user).exists():
        return None
    return unanswered(user).filter(campaign=campaign).first()


def refuse_uncalibrated(campaign: Campaign, user: User) -> None:
    """Raise OutOfDate for who is to rate calibration items first."""
    if first_due(campaign, user):
        raise OutOfDate(CALIBRATE_FIRST)


@dataclass(frozen=True, slots=True)
class DueCalibration:
    """A calibration that an annotator has to finish before they rate."""

    campaign: Campaign
    first: CalibrationItem
    done: int
    total: int

    @property
    def left(self) -> int:
        return self.total - self.done


def due_calibrations(user: User) -> tuple[DueCalibration, ...]:
    """Return the calibrations that come before the user's ratings, the oldest campaign first."""
    campaigns = campaigns_for(user, (Role.ANNOTATOR,)).filter(
        status=CampaignStatus.OPEN, has_calibration=True
    )
    found = []
    for campaign in campaigns.order_by("created_at"):
        if item := first_due(campaign, user):
            total = campaign.calibration_items.count()
            left = unanswered(user).filter(campaign=campaign).count()
            found.append(DueCalibration(campaign, item, total - left, total))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Feedback:
    """One criterion of an answered item: what was given beside what is agreed, and why."""

    name: str
    given: str
    agreed: str
    difference: str
    band: Band
    reason: str


@dataclass(frozen=True, slots=True)
class ItemLink:
    """An item of the same campaign, by the number that annotators know it by."""

    pk: UUID
    number: int
    is_done: bool
    is_current: bool


@dataclass(frozen=True)
class ItemPage(ReadingPage):
    """What an annotator sees of an item; `feedback` is empty before their own answer."""

    item: CalibrationItem
    answer: CalibrationAnswer | None
    links: tuple[ItemLink, ...]

    @cached_property
    def texts(self) -> tuple[Reference, Candidate]:
        """The two claim sets; those of a worked example are rows of no table."""
        if self.item.candidate:
            return self.item.candidate.reference, self.item.candidate
        lesson, example = EXAMPLES[self.item.example]
        return (
            Reference(title=lesson.title, claims=lesson.reference),
            Candidate(claims=example.candidate),
        )

    @property
    def reference(self) -> Reference:
        return self.texts[0]

    @property
    def is_writable(self) -> bool:
        return self.answer is None and self.item.campaign.is_open

    @property
    def number(self) -> int:
        return next(link.number for link in self.links if link.is_current)

    @property
    def following(self) -> UUID | None:
        """The next item that is not answered, round at the end."""
        here = self.number
        left = [link for link in self.links if not link.is_done and not link.is_current]
        after = [link.pk for link in left if link.number > here]
        return next(iter([*after, *(link.pk for link in left)]), None)

    @property
    def feedback(self) -> tuple[Feedback, ...]:
        return tuple(_feedback(self.item, self.answer)) if self.answer else ()


def _feedback(item: CalibrationItem, answer: CalibrationAnswer) -> Iterator[Feedback]:
    given, agreed = points_with_overall(answer.scores), points_with_overall(item.scores)
    off = deviations(answer.scores, item.scores)
    for criterion in ALL_CRITERIA:
        yield Feedback(
            name=NAMES[criterion],
            given=points_text(criterion, given[criterion]),
            agreed=points_text(criterion, agreed[criterion]),
            difference=signed_text(criterion, off[criterion]),
            band=band_of(criterion, agreed[criterion]),
            reason=item.reasons.get(criterion, ""),
        )


def signed_text(criterion: str, value: Fraction) -> str:
    """Return a difference in points with its sign, "same" for none."""
    if not value:
        return "same"
    return f"{'+' if value > 0 else '-'}{points_text(criterion, abs(value))}"


def item_page(user: User, item_id: UUID) -> ItemPage | None:
    """Return the page of an item of a campaign where the user is annotator; None for no such.

    Before their own answer it is there only while the campaign starts with it.
    """
    campaigns = campaigns_for(user, (Role.ANNOTATOR,))
    rows = _items_to_read(user).filter(campaign__in=campaigns.values("pk"))
    joined = rows.select_related("campaign", "candidate__reference")
    own = CalibrationAnswer.objects.filter(annotator=user)
    answer = own.filter(item=item_id).first()
    item = (joined if answer else joined.defer("scores", "reasons")).filter(pk=item_id).first()
    if item is None or not (answer or item.campaign.has_calibration):
        return None
    keys = _items_to_read(user).filter(campaign=item.campaign_id).order_by("position")
    done = set(own.filter(item__campaign=item.campaign_id).values_list("item", flat=True))
    links = tuple(
        ItemLink(pk, number, pk in done, pk == item.pk)
        for number, pk in enumerate(keys.values_list("pk", flat=True), start=1)
    )
    return ItemPage(item, answer, links)


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item as admins see it; `scores` and reasons are hidden from one who is yet to rate it."""

    pk: UUID
    name: str
    scores: tuple[tuple[str, int, str], ...]
    answers: int
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class PersonRow:
    """How far one annotator is, and how far from what is agreed, on average."""

    username: str
    done: int
    deviations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The items of a campaign, and its annotators by name."""

    items: tuple[ItemRow, ...]
    people: tuple[PersonRow, ...]


def calibration_of(campaign: Campaign, reader: User) -> Calibration:
    """Return the items, and each annotator's mean absolute deviation from the agreed scores.

    An admin who also rates is shown what is agreed where they agreed on it or have answered.
    """
    rates = Role.ANNOTATOR in roles_of(reader, campaign)
    rows = list(
        CalibrationItem.objects.filter(campaign=campaign)
        .select_related("candidate__reference")
        .defer("candidate__claims", "candidate__reference__claims")
    )
    answers: dict[UUID, list[CalibrationAnswer]] = {}
    given = CalibrationAnswer.objects.filter(item__campaign=campaign)
    for answer in given.select_related("item"):
        answers.setdefault(answer.annotator_id, []).append(answer)
    own = {answer.item_id for answer in answers.get(reader.pk, ())}
    items = tuple(
        _item_row(
            row,
            sum(a.item_id == row.pk for found in answers.values() for a in found),
            is_hidden=rates and row.pk not in own and row.made_by_id != reader.pk,
        )
        for row in rows
    )
    people = {user.pk: user.username for user in annotators_of(campaign)}
    former = User.objects.filter(pk__in=answers.keys() - people.keys())
    people |= dict(former.values_list("pk", "username"))
    return Calibration(
        items,
        tuple(
            _person_row(name, answers.get(pk, []))
            for pk, name in sorted(people.items(), key=lambda one: one[1])
        ),
    )


def _item_row(row: CalibrationItem, count: int, *, is_hidden: bool) -> ItemRow:
    if row.candidate:
        name = f"{row.candidate.reference.reference_id}, {row.candidate.candidate_id}"
    else:
        name = example_label(row.example)
    scores = (
        ()
        if is_hidden
        else tuple((NAMES[key], row.scores[key], row.reasons.get(key, "")) for key in CRITERIA)
    )
    return ItemRow(row.pk, name, scores, count, is_hidden)


def _person_row(name: str, answers: list[CalibrationAnswer]) -> PersonRow:
    off = mean_absolute_deviations((answer.scores, answer.item.scores) for answer in answers)
    texts = ("" if (one := off[key]) is None else mean_text(one) for key in ALL_CRITERIA)
    return PersonRow(name, len(answers), tuple(texts))
