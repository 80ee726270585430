"""One campaign with everything in it, and the states through which its item goes."""

from dataclasses import dataclass
from itertools import combinations
from typing import Final

from django.test import override_settings

from annotator.adjudication.rounds import send_back, take_turn
from annotator.adjudication.rulings.services import rule, void_adjudication
from annotator.assignments.services import assign_candidates, take_next
from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.comparisons.drafts import save_comparison_draft
from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.models import (
    Adjudication,
    Assignment,
    AssignmentStatus,
    CalibrationItem,
    Campaign,
    Candidate,
    Comparison,
    Conflict,
    Round,
    User,
    Webhook,
)
from annotator.rating.drafts import save_draft
from annotator.rating.own_notes import save_note
from annotator.rating.services import flag_candidate, submit_rating
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.guards.blindness.calibration_rows import calibration_rows
from tests.guards.blindness.claim_rows import ClaimRows, claim_rows
from tests.guards.blindness.hook_rows import HOST, hook_row
from tests.guards.blindness.import_rows import ImportRows, import_rows
from tests.guards.blindness.measured_rows import MeasuredRows, measured_rows
from tests.guards.blindness.people import PASSWORD, members

# The peer rates first, and is far from what the other one answers then.
SCORES: Final = {"one": (9, 9, 9, 9), "peer": (0, 1, 0, 1)}
METRIC_SCORE: Final = {"zqhere": 0.73190421, "zqelsewhere": 0.84210973}
_IN_CONFLICT: Final = ("lease", "draft", "peer", "one")
_RULED: Final = (*_IN_CONFLICT, "take", "rule")
# What has happened in each state, in this order.
STEPS: Final[dict[str, tuple[str, ...]]] = {
    "untouched": (),
    "leased": ("lease",),
    "draft": ("lease", "draft"),
    "rated by one": ("lease", "draft", "peer"),
    "conflict open": _IN_CONFLICT,
    "waiting": (*_IN_CONFLICT, "ask"),
    "taken": (*_IN_CONFLICT, "take"),
    "ruled": _RULED,
    "voided": (*_RULED, "void"),
    "closed": (*_RULED, "close"),
    "reopened": (*_RULED, "close", "reopen"),
}
STATES: Final = tuple(STEPS)


@dataclass(slots=True)
class Scenario:
    """A campaign: its people, its claim sets, and what `scoring` made of it."""

    mark: str
    campaign: Campaign
    people: dict[str, User]
    claims: ClaimRows
    item: Candidate
    measured: MeasuredRows
    imports: ImportRows
    calibration: list[CalibrationItem]
    webhook: Webhook

    def assignment(self, who: str, candidate: Candidate | None = None) -> Assignment:
        return Assignment.objects.get(annotator=self.people[who], candidate=candidate or self.item)

    @property
    def conflict(self) -> Conflict:
        return Conflict.objects.get(candidate=self.item, kind="overall_gap")

    def other_open(self, who: str) -> Assignment:
        """Return an assignment that the annotator has beside the item's, and not rated."""
        rows = Assignment.objects.filter(annotator=self.people[who], status=AssignmentStatus.OPEN)
        return rows.exclude(candidate=self.item).order_by("position")[0]


# A heartbeat has a connection of its own, which does not see what a test's transaction has made: no
# job of these may take so long that it needs one, on a machine with much else to do either.
@override_settings(JOB_LEASE_SECONDS=3600, WEBHOOK_HOSTS=[HOST])
def furnish(mark: str, state: str) -> Scenario:
    """Return a campaign whose item is in the state; every text in it begins with the mark."""
    campaign = Campaign.objects.create(
        slug=f"{mark}slug", name=f"{mark}campaign", has_mark_files=True
    )
    people = members(mark, campaign)
    claims = claim_rows(mark, campaign)
    steps = STEPS[state]
    if "lease" in steps:
        leased = take_next(slug=campaign.slug, annotator=people["one"])
        assert leased is not None and leased.candidate.reference == claims.first
        item = leased.candidate
    else:
        item = claims.candidates(claims.first)[0]
    measured = measured_rows(mark, campaign, people["researcher"], METRIC_SCORE[mark])
    imports = import_rows(mark, campaign, people["admin"])
    calibration = calibration_rows(mark, campaign, people)
    webhook = hook_row(mark, campaign, people["admin"])
    scenario = Scenario(
        mark, campaign, people, claims, item, measured, imports, calibration, webhook
    )
    _give_out(scenario, is_leased=bool(steps))
    flag_candidate(assignment=scenario.other_open("one"), reason_code="wrong-text")
    for step in steps[1:]:
        _STEP[step](scenario)
    return scenario


def go_on(scenario: Scenario, state: str, to: str) -> None:
    """Bring a campaign from a state to a later one, through all that happens in between."""
    before, steps = STEPS[state], STEPS[to]
    assert steps[: len(before)] == before
    for step in steps[len(before) :]:
        _STEP[step](scenario)


def _give_out(scenario: Scenario, *, is_leased: bool) -> None:
    """Assign all candidates to both annotators by name, but the item while it is untouched."""
    for who in ("one", "peer"):
        rows = list(scenario.campaign.candidates.order_by("candidate_id"))
        if who == "one" or not is_leased:
            rows.remove(scenario.item)
        assign_candidates(
            campaign=scenario.campaign, annotator=scenario.people[who], candidates=rows
        )
        rest = [
            row for row in scenario.claims.candidates(scenario.claims.first) if row != scenario.item
        ]
        pairs = list(combinations((*rest, scenario.item), 2))
        assign_comparisons(campaign=scenario.campaign, annotator=scenario.people[who], pairs=pairs)


def _draft(scenario: Scenario) -> None:
    for who in ("one", "peer"):
        typed = {"comment": f"{scenario.mark}{who}draft", "note": f"{scenario.mark}{who}draft"}
        for row in (scenario.assignment(who), scenario.other_open(who)):
            save_draft(assignment=row, typed=typed, version=0, rating_version=0)
        save_note(assignment=row, text=f"{scenario.mark}{who}draft", version=0)
        for compared in Comparison.objects.filter(annotator=scenario.people[who])[:2]:
            save_comparison_draft(
                comparison_id=compared.pk, typed=typed, version=0, preference_version=0
            )


def _rate(scenario: Scenario, who: str) -> None:
    """Rate the item and one of the others, and judge a pair."""
    mark = f"{scenario.mark}{who}"
    tag = {"tag": "vagueness", "remark": f"{mark}remark", "start": 3, "end": 6}
    for row in (scenario.assignment(who), scenario.other_open(who)):
        submit_rating(
            assignment_id=row.pk,
            annotator=scenario.people[who],
            scores=dict(zip(CRITERIA, SCORES[who], strict=True)),
            comment=f"{mark}comment",
            note=f"{mark}note",
            error_tags=[tag],
        )
    submit_preference(
        comparison_id=Comparison.objects.filter(annotator=scenario.people[who])[0].pk,
        annotator=scenario.people[who],
        judgements=dict.fromkeys(ALL_CRITERIA, 1),
        comment=f"{mark}preference",
    )


def _ask(scenario: Scenario) -> None:
    send_back(
        conflict_id=scenario.conflict.pk,
        adjudicator=scenario.people["adjudicator"],
        kind="again",
        question=f"{scenario.mark}question",
    )
    assert Round.objects.filter(candidate=scenario.item, finished_at=None).exists()


def _take(scenario: Scenario) -> None:
    take_turn(conflict_id=scenario.conflict.pk, adjudicator=scenario.people["adjudicator"])


def _rule(scenario: Scenario) -> None:
    rule(
        conflict_id=scenario.conflict.pk,
        adjudicator=scenario.people["adjudicator"],
        decision="scores",
        scores=dict.fromkeys(CRITERIA, 3),
        reason_code="overlooked",
        reason=f"{scenario.mark}rulingreason",
        password=PASSWORD,
    )


def _void(scenario: Scenario) -> None:
    row = Adjudication.objects.get(conflict__candidate=scenario.item)
    reason = f"{scenario.mark}voidreason"
    void_adjudication(adjudication_id=row.pk, reason=reason, by=scenario.people["admin"])


def _close(scenario: Scenario) -> None:
    reason = f"{scenario.mark}closereason"
    close_campaign(campaign=scenario.campaign, reason=reason, closed_by=scenario.people["admin"])


def _reopen(scenario: Scenario) -> None:
    reason = f"{scenario.mark}reopenreason"
    reopen_campaign(campaign=scenario.campaign, reason=reason, reopened_by=scenario.people["admin"])


_STEP: Final = {
    "draft": _draft,
    "peer": lambda scenario: _rate(scenario, "peer"),
    "one": lambda scenario: _rate(scenario, "one"),
    "ask": _ask,
    "take": _take,
    "rule": _rule,
    "void": _void,
    "close": _close,
    "reopen": _reopen,
}
