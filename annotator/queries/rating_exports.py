"""Every rating and preference of a campaign, as an export tells it, a few candidates at a time."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final
from uuid import UUID

from annotator.formats.times import time_text
from annotator.models import (
    Campaign,
    Candidate,
    Preference,
    PreferenceRevision,
    Rating,
    RatingRevision,
    Reference,
)
from annotator.queries.export_names import Naming
from annotator.rubric import ALL_CRITERIA, CRITERIA, overall_text

REFERENCES_AT_ONCE: Final = 200
CANDIDATES_AT_ONCE: Final = 200
_SCORED: Final = (
    *(*CRITERIA, "overall_numerator", "comment", "error_tags"),
    *("active_seconds", "is_blind", "shown", "round"),
)
_JUDGED: Final = (*ALL_CRITERIA, "comment", "error_tags")
_TAG_KEYS: Final = ("tag", "side", "start", "end", "remark")
_AIDS: Final = ("aligned", "diff", "marks")
_DATED: Final = ("rubric_version", "version", "submitted_at", "revised_at")
_PAIR: Final = (
    *("comparison__annotator_id", "comparison__left_id", "comparison__right__candidate_id"),
    *("comparison__right__claims_sha256", "comparison__right__system"),
)
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Telling:
    """What an export tells: how annotators are called, and whether ids and systems are in it."""

    naming: Naming
    admins: frozenset[UUID]
    has_ids: bool
    has_systems: bool


def exported_lines(campaign: Campaign, telling: Telling) -> Iterator[dict[str, Any]]:
    """Yield each rating and preference with its revisions, candidate by candidate.

    The order is that of the references and of the candidates' ids, and of the time of giving;
    keys are those of `ratings_jsonl`. A preference stands with its left candidate.
    """
    for rows in _some_candidates(campaign):
        yield from _Slice(rows, telling).lines()


def some_references(campaign: Campaign) -> Iterator[list[UUID]]:
    """Yield the references of a campaign in their order, REFERENCES_AT_ONCE at most."""
    rows = Reference.objects.filter(campaign=campaign).order_by("position", "reference_id")
    references = rows.values_list("pk", flat=True).iterator(2_000)
    while pks := list(islice(references, REFERENCES_AT_ONCE)):
        yield pks


def _some_candidates(campaign: Campaign) -> Iterator[list[Row]]:
    """Yield the candidates of a campaign without texts, CANDIDATES_AT_ONCE at most."""
    for pks in some_references(campaign):
        places = {pk: place for place, pk in enumerate(pks)}
        rows = Candidate.objects.filter(reference__in=pks).values(
            *("pk", "reference_id", "candidate_id", "claims_sha256", "system", "purpose"),
            *("reference__reference_id", "reference__claims_sha256", "original__candidate_id"),
        )
        ordered = sorted(rows, key=lambda row: (places[row["reference_id"]], row["candidate_id"]))
        for start in range(0, len(ordered), CANDIDATES_AT_ONCE):
            yield ordered[start : start + CANDIDATES_AT_ONCE]


class _Slice:
    """Some candidates, and what was said of them."""

    def __init__(self, rows: list[Row], telling: Telling) -> None:
        self.telling = telling
        self.candidates = {row["pk"]: row for row in rows}

    def lines(self) -> Iterator[dict[str, Any]]:
        of_candidate: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
        for candidate, line in chain(self._ratings(), self._preferences()):
            of_candidate[candidate].append(line)
        for pk in self.candidates:
            yield from of_candidate[pk]

    def _ratings(self) -> Iterator[tuple[UUID, dict[str, Any]]]:
        rows = list(
            Rating.objects.filter(candidate__in=list(self.candidates))
            .order_by("submitted_at", "pk")
            .values("pk", "candidate_id", "annotator_id", *_DATED, *_SCORED)
        )
        kept = RatingRevision.objects.filter(rating__in=[row["pk"] for row in rows])
        revisions: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
        for one in kept.order_by("number").values("rating_id", "number", "made_at", *_SCORED):
            revisions[one["rating_id"]].append(_numbered(one) | _scored(one))
        for row in rows:
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
                    "revisions": revisions[row["pk"]],
                },
            )

    def _preferences(self) -> Iterator[tuple[UUID, dict[str, Any]]]:
        rows = list(
            Preference.objects.filter(comparison__left__in=list(self.candidates))
            .order_by("submitted_at", "pk")
            .values("pk", *_PAIR, *_DATED, *_JUDGED)
        )
        kept = PreferenceRevision.objects.filter(preference__in=[row["pk"] for row in rows])
        revisions: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
        for one in kept.order_by("number").values("preference_id", "number", "made_at", *_JUDGED):
            revisions[one["preference_id"]].append(_numbered(one) | _judged(one))
        for row in rows:
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
                    "revisions": revisions[row["pk"]],
                },
            )

    def _place(self, kind: str, pk: UUID, candidate: Row) -> dict[str, Any]:
        return {
            "kind": kind,
            "id": str(pk) if self.telling.has_ids else None,
            "reference_id": candidate["reference__reference_id"],
            "reference_sha256": candidate["reference__claims_sha256"],
        }

    def _annotator(self, pk: UUID) -> dict[str, Any]:
        name = self.telling.naming.name(pk)
        # Of somebody who has no name here nothing is told by which they could be told apart.
        return {"annotator": name, "by_admin": None if name is None else pk in self.telling.admins}

    def _system(self, system: str) -> str | None:
        return system if self.telling.has_systems else None


def _scored(row: Row) -> dict[str, Any]:
    numerator = row["overall_numerator"]
    return {
        "scores": {criterion: row[criterion] for criterion in CRITERIA},
        "overall_quality": {"numerator": numerator, "value": float(overall_text(numerator))},
        "comment": row["comment"],
        "error_tags": _tags(row["error_tags"]),
        "active_seconds": row["active_seconds"],
        "is_blind": row["is_blind"],
        "shown": _in_order(row["shown"], _AIDS),
        "round": row["round"],
    }


def _judged(row: Row) -> dict[str, Any]:
    said = {name: row[name] for name in ALL_CRITERIA if row[name] is not None}
    tags = _tags(row["error_tags"])
    return {"judgements": said, "comment": row["comment"], "error_tags": tags}


def _tags(tags: list[Row]) -> list[dict[str, Any]]:
    return [_in_order(tag, _TAG_KEYS) for tag in tags]


def _in_order(value: Row, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return a JSON object with its keys in one order: a database may give them in another."""
    return {key: value[key] for key in keys if key in value}


def _numbered(row: Row) -> dict[str, Any]:
    return {"number": row["number"], "made_at": time_text(row["made_at"])}


def _dated(row: Row) -> dict[str, Any]:
    times = {name: time_text(row[name]) for name in ("submitted_at", "revised_at")}
    return {"rubric_version": row["rubric_version"], "version": row["version"], **times}
