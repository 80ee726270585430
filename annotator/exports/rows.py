"""Ratings and preferences as an export states them, and how it calls annotators."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import chain
from typing import Any, Final
from uuid import UUID

from django.db.models import Model, OuterRef, Q, QuerySet, Subquery
from django.utils.crypto import salted_hmac

from annotator.formats.label_studio import TEXTS
from annotator.formats.label_studio_writer import StatedPair, item_of, revised
from annotator.models import (
    Assignment,
    Campaign,
    Candidate,
    Comparison,
    ImportedAnnotation,
    Preference,
    PreferenceRevision,
    Rating,
    RatingRevision,
    Reference,
    User,
)
from annotator.rating_values import AIDS, ERROR_TAGS, EXPORTED
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, SCORE_COLUMNS, overall_quality
from patclaimeval.text_io.text import time_text

# What the reader of Label Studio's files puts before the number of an annotator.
ELSEWHERE: Final = "label-studio-"
# Numbers up to here are read alike by every reader of JSON.
EXACT_BITS: Final = 53
DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Naming:
    """How annotators are called: a name and a number for each.

    `number_elsewhere` takes the number that another program gave, and the id where it is known.
    """

    name: Callable[[UUID], str | None]
    number: Callable[[UUID], int]
    number_elsewhere: Callable[[int, UUID | None], int]


def pseudonyms(campaign: Campaign, key: str) -> Naming:
    """Return names that follow from a key and the secret of this install: another key, others.

    The campaign goes into them, so that one key does not join two campaigns.
    """

    @cache
    def digits(pk: UUID) -> str:
        value = f"{campaign.pk}:{key}:{pk}"
        made = salted_hmac("annotator.exports", value, algorithm="sha256")
        return made.hexdigest()[:DIGITS]

    def number(pk: UUID) -> int:
        return int(digits(pk), 16)

    return Naming(
        lambda pk: f"annotator-{digits(pk)}", number, lambda n, pk: number(pk or UUID(int=n))
    )


# No annotator is told apart from another.
NOBODY: Final = Naming(lambda pk: None, lambda pk: 0, lambda number, pk: 0)


def user_names(campaign: Campaign) -> Naming:
    """Return the names of all who were given something to rate or to compare in a campaign.

    Numbers are of those who came by import theirs, and for the others one of their id.
    """
    of_campaign = {"campaign": campaign}
    given = Q(pk__in=Assignment.objects.filter(**of_campaign).values("annotator")) | Q(
        pk__in=Comparison.objects.filter(**of_campaign).values("annotator")
    )
    names = dict(User.objects.filter(given).values_list("pk", "username"))

    def number(pk: UUID) -> int:
        digits = names[pk].removeprefix(ELSEWHERE)
        is_imported = digits != names[pk] and digits.isascii() and digits.isdigit()
        return int(digits) if is_imported else number_of(pk)

    return Naming(names.__getitem__, number, lambda number, pk: number)


def number_of(pk: UUID) -> int:
    """Return a number that stands for an id, the same each time."""
    return pk.int & ((1 << EXACT_BITS) - 1)


REFERENCES_AT_ONCE: Final = 50
_SCORED: Final = (*SCORE_COLUMNS, *EXPORTED)
_JUDGED: Final = (*ALL_CRITERIA, "comment", "error_tags")
_TAG_KEYS: Final = ("tag", "side", "start", "end", "remark")
_DATED: Final = ("rubric_version", "version", "submitted_at", "revised_at")
_PAIR: Final = (
    *("comparison__annotator_id", "comparison__left_id", "comparison__right__candidate_id"),
    *("comparison__right__claims_sha256", "comparison__right__system"),
)
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Detail:
    """What an export shows: how annotators are called, and whether ids and systems are in it."""

    naming: Naming
    admins: frozenset[UUID]
    has_ids: bool
    has_systems: bool


def exported_lines(campaign: Campaign, detail: Detail) -> Iterator[dict[str, Any]]:
    """Yield each rating and preference with its revisions, candidate by candidate.

    The order is that of the references and of the candidates' ids, and of the time of giving;
    keys are those of `ratings_jsonl`. A preference stands with its left candidate.
    """
    for rows in _some_candidates(campaign):
        yield from _Slice(rows, detail).lines()


def some_references(campaign: Campaign) -> Iterator[list[UUID]]:
    """Yield the references of a campaign in their order, REFERENCES_AT_ONCE at most."""
    rows = Reference.objects.filter(campaign=campaign).order_by("position", "reference_id")
    keys = list(rows.values_list("pk", flat=True))
    for start in range(0, len(keys), REFERENCES_AT_ONCE):
        yield keys[start : start + REFERENCES_AT_ONCE]


def _some_candidates(campaign: Campaign) -> Iterator[list[Row]]:
    """Yield the candidates of a campaign without texts, those of some references at a time."""
    for pks in some_references(campaign):
        places = {pk: place for place, pk in enumerate(pks)}
        rows = Candidate.objects.filter(reference__in=pks).values(
            *("pk", "reference_id", "candidate_id", "claims_sha256", "system", "purpose"),
            *("reference__reference_id", "reference__claims_sha256", "original__candidate_id"),
        )
        yield sorted(rows, key=lambda row: (places[row["reference_id"]], row["candidate_id"]))


class _Slice:
    """Some candidates, and the answers about them."""

    def __init__(self, rows: list[Row], detail: Detail) -> None:
        self.detail = detail
        self.candidates = {row["pk"]: row for row in rows}

    def lines(self) -> Iterator[dict[str, Any]]:
        of_candidate: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
        for candidate, line in chain(self._ratings(), self._preferences()):
            of_candidate[candidate].append(line)
        for pk in self.candidates:
            yield from of_candidate[pk]

    def _ratings(self) -> Iterator[tuple[UUID, dict[str, Any]]]:
        rows = Rating.objects.filter(candidate__in=list(self.candidates)).values(
            "pk", "candidate_id", "annotator_id", *_DATED, *_SCORED
        )
        for row, revisions in _with_revisions(rows, RatingRevision, "rating", _SCORED, _scored):
            candidate = self.candidates[row["candidate_id"]]
            yield (
                row["candidate_id"],
                {
                    **self._place("rating", row["pk"], candidate),
                    "candidate_id": candidate["candidate_id"],
                    "candidate_sha256": candidate["claims_sha256"],
                    "system": self._system(candidate["system"]),
                    "purpose": candidate["purpose"],
                    "repeats": candidate["original__candidate_id"],
                    **self._annotator(row["annotator_id"]),
                    **_scored(row),
                    **_dated(row),
                    "revisions": revisions,
                },
            )

    def _preferences(self) -> Iterator[tuple[UUID, dict[str, Any]]]:
        own = Preference.objects.filter(comparison__left__in=list(self.candidates))
        rows = own.values("pk", *_PAIR, *_DATED, *_JUDGED)
        kept = (PreferenceRevision, "preference", _JUDGED, _judged)
        for row, revisions in _with_revisions(rows, *kept):
            left = self.candidates[row["comparison__left_id"]]
            yield (
                row["comparison__left_id"],
                {
                    **self._place("preference", row["pk"], left),
                    "left_id": left["candidate_id"],
                    "left_sha256": left["claims_sha256"],
                    "left_system": self._system(left["system"]),
                    "right_id": row["comparison__right__candidate_id"],
                    "right_sha256": row["comparison__right__claims_sha256"],
                    "right_system": self._system(row["comparison__right__system"]),
                    **self._annotator(row["comparison__annotator_id"]),
                    **_judged(row),
                    **_dated(row),
                    "revisions": revisions,
                },
            )

    def _place(self, kind: str, pk: UUID, candidate: Row) -> dict[str, Any]:
        return {
            "kind": kind,
            "id": str(pk) if self.detail.has_ids else None,
            "reference_id": candidate["reference__reference_id"],
            "reference_sha256": candidate["reference__claims_sha256"],
        }

    def _annotator(self, pk: UUID) -> dict[str, Any]:
        name = self.detail.naming.name(pk)
        # Of somebody who has no name here nothing is shown that could distinguish them.
        return {"annotator": name, "by_admin": None if name is None else pk in self.detail.admins}

    def _system(self, system: str) -> str | None:
        return system if self.detail.has_systems else None


def _with_revisions(
    given: QuerySet[Any, Any],
    model: type[Model],
    owner: str,
    names: Sequence[str],
    told: Callable[[Row], dict[str, Any]],
) -> Iterator[tuple[Row, list[dict[str, Any]]]]:
    """Yield what was given in the order of giving, each with its revisions as they are told."""
    rows = list(given.order_by("submitted_at", "pk"))
    kept = model._default_manager.filter(**{f"{owner}__in": [row["pk"] for row in rows]})
    revisions: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    for one in kept.order_by("number").values(f"{owner}_id", "number", "made_at", *names):
        dated = {"number": one["number"], "made_at": time_text(one["made_at"])}
        revisions[one[f"{owner}_id"]].append(dated | told(one))
    yield from ((row, revisions[row["pk"]]) for row in rows)


def _scored(row: Row) -> dict[str, Any]:
    in_order = {ERROR_TAGS: _tags(row[ERROR_TAGS]), "shown": _in_order(row["shown"], AIDS)}
    return {
        "scores": {criterion: row[criterion] for criterion in CRITERIA},
        "overall_quality": overall_quality(row["overall_numerator"]),
        **{name: in_order.get(name, row[name]) for name in EXPORTED},
    }


def _judged(row: Row) -> dict[str, Any]:
    judgements = {name: row[name] for name in ALL_CRITERIA if row[name] is not None}
    tags = _tags(row["error_tags"])
    return {"judgements": judgements, "comment": row["comment"], "error_tags": tags}


def _tags(tags: list[Row]) -> list[dict[str, Any]]:
    return [_in_order(tag, _TAG_KEYS) for tag in tags]


def _in_order(value: Row, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return a JSON object with its keys in one order: a database may give them in another."""
    return {key: value[key] for key in keys if key in value}


def _dated(row: Row) -> dict[str, Any]:
    times = {name: time_text(row[name]) for name in ("submitted_at", "revised_at")}
    return {"rubric_version": row["rubric_version"], "version": row["version"], **times}


ROWS_AT_ONCE: Final = 200
_SIDES: Final = {"left": "right", "right": "left"}
_TEXTS_OF: Final = ("reference", "left", "right")


def exported_items(campaign: Campaign, naming: Naming) -> Iterator[dict[str, Any]]:
    """Yield the annotations of a campaign's files in their order, then the preferences made here.

    An annotation is given back as it was written, but for the annotator's number, unless its
    preference was revised here since: then its answer, tags and comment are those of now.
    """
    yield from _imported(campaign, naming)
    yield from _made_here(campaign, naming)


def _imported(campaign: Campaign, naming: Naming) -> Iterator[dict[str, Any]]:
    """Yield the annotations that came in files."""
    accounts = User.objects.filter(username__startswith=ELSEWHERE)
    people: dict[str, UUID] = dict(accounts.values_list("username", "pk"))
    of_pair = ImportedAnnotation.objects.filter(comparison=OuterRef("comparison"))
    newest = of_pair.order_by("-updated_at", "-annotation").values("pk")[:1]
    own = ImportedAnnotation.objects.filter(campaign=campaign)
    rows = own.annotate(newest=Subquery(newest))
    rows = rows.select_related(*_TEXTS_OF, "comparison__preference").order_by("position")
    for row in rows.iterator(ROWS_AT_ONCE):
        fields = json.loads(row.fields)
        texts = (getattr(row, side).claims for side in _TEXTS_OF)
        item = fields | dict(zip(TEXTS, texts, strict=True))
        comparison, number = row.comparison, item["annotator"]
        # Of two equal texts there is no comparison, and perhaps no account.
        pk = comparison.annotator_id if comparison else people.get(f"{ELSEWHERE}{number}")
        item["annotator"] = naming.number_elsewhere(number, pk)
        if comparison is not None and row.newest == row.pk:
            preference, is_turned = comparison.preference, comparison.left_id != row.left_id
            if preference.revised_at > row.updated_at:
                now = _stated(preference, comparison, is_turned, item["annotator"])
                item = revised(item, now)
        yield item


def _made_here(campaign: Campaign, naming: Naming) -> Iterator[dict[str, Any]]:
    for references in some_references(campaign):
        rows = (
            Comparison.objects.filter(
                left__reference__in=references, imported_annotations=None, preference__isnull=False
            )
            .select_related("preference", "left__reference", "right")
            .order_by("left__reference__position", "pair", "created_at", "pk")
        )
        for row in rows.iterator(ROWS_AT_ONCE):
            number = naming.number(row.annotator_id)
            yield item_of(_stated(row.preference, row, is_turned=False, annotator=number))


def _stated(
    preference: Preference, comparison: Comparison, is_turned: bool, annotator: int
) -> StatedPair:
    """Return a preference as the layout states one, turned where the item has the sides so."""
    left, right = comparison.left, comparison.right
    tags, judgement = preference.error_tags, preference.overall_quality
    if is_turned:
        left, right, judgement = right, left, -judgement
        tags = [tag | {"side": _SIDES.get(tag["side"], tag["side"])} for tag in tags]
    return StatedPair(
        task=int(sha256(comparison.pair.encode()).hexdigest(), 16) & ((1 << EXACT_BITS) - 1),
        annotation=number_of(preference.pk),
        annotator=annotator,
        ipc=left.reference.ipc,
        claims=left.reference.claims,
        left=left.claims,
        right=right.claims,
        judgement=judgement,
        error_tags=tags,
        comment=preference.comment,
        created_at=preference.submitted_at,
        updated_at=preference.revised_at,
    )
