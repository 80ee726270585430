"""What the database holds of a campaign, in the terms of `workflow_model`."""

from collections import Counter
from typing import Any

from annotator.adjudication.cases import adjudication_queue
from annotator.adjudication.settled.queries import freezable_references
from annotator.assignments.queries import second_looks
from annotator.models import (
    Adjudication,
    Assignment,
    Campaign,
    Candidate,
    Conflict,
    Draft,
    Rating,
    Round,
    SecondLook,
    Turn,
    User,
)
from tests.flows.workflow_model import ADJUDICATORS, ANNOTATORS
from tests.flows.workflow_rulings import Rulings

State = dict[str, Any]


def stored(campaign: Campaign) -> State:
    """Return everything that the model holds, as it is stored."""
    campaign.refresh_from_db()
    candidates = list(Candidate.objects.filter(campaign=campaign))
    of = {"candidate__campaign": campaign}
    looks = SecondLook.objects.filter(round__candidate__campaign=campaign)
    answers: dict[Any, dict[str, bool]] = {}
    for pk, who, at in looks.values_list("round", "assignment__annotator__username", "answered_at"):
        answers.setdefault(pk, {})[who] = at is not None
    drafts = Draft.objects.filter(assignment__campaign=campaign)
    versions = dict(drafts.values_list("assignment", "version"))
    rounds: dict[str, list[dict[str, Any]]] = {}
    for row in Round.objects.filter(**of).select_related("asked_by").order_by("number"):
        rounds.setdefault(row.candidate_id.hex, []).append(
            {
                "number": row.number,
                "kind": row.kind,
                "by": row.asked_by.username if row.asked_by else "",
                "running": row.finished_at is None,
                "looks": answers.get(row.pk, {}),
            }
        )
    return {
        "is_open": campaign.is_open,
        "places": {row.pk.hex: (row.places, row.held, row.has_room) for row in candidates},
        "shares": {
            (row.annotator.username, row.candidate_id.hex): (
                row.status,
                row.lease_expires_at is not None,
                versions.get(row.pk, 0),
            )
            for row in Assignment.objects.filter(campaign=campaign).select_related("annotator")
        },
        "ratings": {
            (row.annotator.username, row.candidate_id.hex): (
                row.feature_completeness,
                row.version,
                row.round,
                [one.number for one in row.revisions.all()],
            )
            for row in Rating.objects.filter(**of)
            .select_related("annotator")
            .prefetch_related("revisions")
        },
        "rounds": rounds,
        "conflicts": {
            (
                row.kind,
                row.candidate_id.hex,
                row.other_candidate_id.hex if row.other_candidate_id else "",
                row.criterion,
            ): row.status
            for row in Conflict.objects.filter(campaign=campaign)
        },
        "turns": {
            row.candidate_id.hex: row.adjudicator.username
            for row in Turn.objects.filter(**of).select_related("adjudicator")
        },
        "rulings": [
            ({one.candidate_id.hex for one in row.rulings.all()}, row.is_valid)
            for row in Adjudication.objects.filter(conflict__campaign=campaign)
            .order_by("made_at")
            .prefetch_related("rulings")
        ],
    }


def shown(campaign: Campaign, people: dict[str, User]) -> State:
    """Return what follows from it: what a freeze leaves out, who is asked, what may be ruled."""
    return {
        "left_out": [_left_out(campaign, include_unlocked=flag) for flag in (False, True)],
        "looks": {who: len(second_looks(people[who])) for who in ANNOTATORS},
        "queue": {who: _queue(people[who]) for who in ADJUDICATORS},
    }


def expected(model: Rulings) -> State:
    """Return the same of the model."""
    return {
        "is_open": model.is_open,
        "places": {
            one: (places, model.held(one), model.held(one) < places)
            for one, places in model.places.items()
        },
        "shares": {
            key: (row["status"], row["leased"], row["draft"]) for key, row in model.shares.items()
        },
        "ratings": {
            key: (row["score"], row["version"], row["round"], list(range(1, row["version"] + 1)))
            for key, row in model.ratings.items()
        },
        "rounds": {one: rows for one, rows in model.rounds.items() if rows},
        "conflicts": model.conflicts,
        "turns": model.turns,
        "rulings": [(set(row["candidates"]), row["valid"]) for row in model.rulings],
    }


def expected_to_show(model: Rulings) -> State:
    """Return the same of the model."""
    return {
        "left_out": [model.left_out(include_unlocked=flag) for flag in (False, True)],
        "looks": {who: _looks(model, who) for who in ANNOTATORS},
        "queue": {
            who: len(
                {
                    tuple(model.pair(key))
                    for key, status in model.conflicts.items()
                    if status == "open" and model.may_rule(who, key)
                }
            )
            for who in ADJUDICATORS
        },
    }


def _looks(model: Rulings, who: str) -> int:
    running = [row for row in map(model.running, model.reference) if row]
    return model.is_open * sum(row["looks"].get(who) is False for row in running)


def _left_out(campaign: Campaign, *, include_unlocked: bool) -> dict[str, int]:
    counts: Counter[str] = Counter()
    list(freezable_references(campaign, include_unlocked=include_unlocked, left_out=counts))
    return dict(counts)


def _queue(user: User) -> int:
    return sum(len(entry.cases) for entry in adjudication_queue(user))
