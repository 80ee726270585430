"""What people do in the workflow, in any order: each act on the rows and on their model."""

from datetime import timedelta

from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from annotator.adjudication.rounds import call_back, give_back, send_back, take_turn
from annotator.adjudication.rulings.services import rule as rule_on
from annotator.adjudication.rulings.services import void_adjudication
from annotator.assignments.services import assign_candidates, lapse_leases, take_next
from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.exports.rows import Detail, exported_lines, pseudonyms
from annotator.models import Adjudication, Assignment, Rating
from annotator.planning.services import withdraw_assignments
from annotator.rating.drafts import save_draft
from annotator.rating.services import return_to, revise_rating, skip_assignment, submit_rating
from patclaimeval.rubric import CRITERIA
from tests.flows.workflow_ground import PASSWORD, Ground
from tests.flows.workflow_model import ADJUDICATORS, ANNOTATORS
from tests.flows.workflow_state import expected, expected_to_show, shown, stored

# What follows from the rows is looked at every few steps: it costs most.
SELDOM = 4
# From one to the next nothing conflicts, from one to the one after it everything does.
SCORES = st.sampled_from((1, 3, 4, 6, 9))
PICK = st.integers(0, 999)
PERSON = st.sampled_from(ANNOTATORS)
JUDGE = st.sampled_from(ADJUDICATORS)
MOSTLY = st.sampled_from((True, True, False))


class Workflow(Ground):
    @initialize(far=st.booleans(), is_rated=MOSTLY, is_asked=MOSTLY)
    def begin(self, far: bool, is_rated: bool, is_asked: bool) -> None:
        """Begin, mostly, where two have rated a reference, long ago and asked to look again."""
        pair = [one for one, place in self.model.reference.items() if place == 0]
        for person, score in (("alice", 1), ("bob", 9 if far else 3)) if is_rated else ():
            for place, one in enumerate(pair):
                self.assign(person, 0, one=one)
                self.submit(0, 10 - score if place and far else score, key=(person, one))
        if is_rated and is_asked:
            self.let_the_window_pass()
            if self.model.conflicts:
                self.ask_again("carol", 0, "again")

    @rule(person=PERSON, pick=PICK)
    def assign(self, person: str, pick: int, one: str = "") -> None:
        free = [c for c in self.model.reference if (person, c) not in self.model.shares]
        if not free:
            return
        one = one or free[pick % len(free)]
        self.model.assign(person, one)
        assign_candidates(
            campaign=self.campaign, annotator=self.people[person], candidates=[self.candidates[one]]
        )

    @rule(person=PERSON)
    def take(self, person: str) -> None:
        """Which one is given is drawn; that it is one of the right ones is not."""
        allowed: set[str] = set()
        given: list[Assignment | None] = []
        self.same(
            lambda: allowed.update(self.model.takeable(person)),
            lambda: given.append(take_next(slug="machine", annotator=self.people[person])),
        )
        row = next(iter(given), None)
        assert (row is not None) == bool(allowed)
        if row is None:
            return
        one = row.candidate_id.hex
        assert one in allowed
        known = self.model.shares.get((person, one))
        if known is None or known["status"] != "open":
            self.model.assign(person, one, leased=True)

    @precondition(lambda self: self.model.shares)
    @rule(pick=PICK, score=SCORES)
    def submit(self, pick: int, score: int, key: tuple[str, str] | None = None) -> None:
        person, one = key or self.share(pick)
        seen = self.model.shares[person, one]["draft"] or None
        self.same(
            lambda: self.model.submit(person, one, score),
            lambda: submit_rating(
                assignment_id=self.row(person, one).pk,
                annotator=self.people[person],
                scores=dict.fromkeys(CRITERIA, score),
                draft_version=seen,
            ),
        )

    @precondition(lambda self: self.model.ratings)
    @rule(pick=PICK, score=st.none() | SCORES)
    def revise(self, pick: int, score: int | None) -> None:
        """Revise, also to what it was."""
        keys = [key for key in self.model.ratings if self.model.running(key[1])]
        keys = sorted(keys if keys and pick % 2 else self.model.ratings)
        person, one = keys[pick % len(keys)]
        rating = self.model.ratings[person, one]
        value, version = score or rating["score"], rating["version"]
        seen = self.model.shares[person, one]["draft"] or None
        self.same(
            lambda: self.model.revise(person, one, value),
            lambda: revise_rating(
                rating_id=Rating.objects.get(assignment=self.row(person, one)).pk,
                annotator=self.people[person],
                version=version,
                scores=dict.fromkeys(CRITERIA, value),
                draft_version=seen,
            ),
        )

    @precondition(lambda self: self.model.shares)
    @rule(pick=PICK)
    def draft(self, pick: int) -> None:
        person, one = self.share(pick)
        share = self.model.shares[person, one]
        version = self.model.ratings.get((person, one), {"version": 0})["version"]
        save_draft(
            assignment=self.row(person, one),
            typed={"comment": "a comment"},
            version=share["draft"],
            rating_version=version,
        )
        share["draft"] += 1

    @precondition(lambda self: self.model.shares)
    @rule(pick=PICK)
    def skip(self, pick: int) -> None:
        key = self.share(pick)
        self.same(
            lambda: self.model.skip(*key),
            lambda: skip_assignment(assignment=self.row(*key), reason_code="unreadable"),
        )

    @precondition(lambda self: self.model.shares)
    @rule(pick=PICK)
    def take_back(self, pick: int) -> None:
        left = [key for key, row in self.model.shares.items() if row["status"] == "skipped"]
        key = sorted(left)[pick % len(left)] if left else self.share(pick)
        self.same(lambda: self.model.take_back(*key), lambda: return_to(assignment=self.row(*key)))

    @rule(person=PERSON, place=st.integers(0, 1))
    def withdraw(self, person: str, place: int) -> None:
        self.same(
            lambda: self.model.withdraw(person, place),
            lambda: withdraw_assignments(
                campaign=self.campaign,
                annotator=self.people[person],
                references=[self.references[place]],
                reason="Not theirs.",
                by=self.people["ada"],
            ),
        )

    @rule()
    def let_leases_run_out(self) -> None:
        for row in self.model.shares.values():
            if row["status"] == "open" and row["leased"]:
                row["status"] = "lapsed"
        leased = Assignment.objects.filter(status="open", lease_expires_at__isnull=False)
        leased.update(lease_expires_at=timezone.now() - timedelta(minutes=1))
        lapse_leases(self.campaign)

    @rule()
    def let_the_window_pass(self) -> None:
        for row in self.model.ratings.values():
            row["fresh"] = False
        Rating.objects.update(revised_at=timezone.now() - timedelta(days=9))

    @rule()
    def close_or_reopen(self) -> None:
        ada = self.people["ada"]
        if self.model.is_open:
            close_campaign(campaign=self.campaign, reason="over", closed_by=ada)
        else:
            reopen_campaign(campaign=self.campaign, reason="not over", reopened_by=ada)
        self.model.is_open = not self.model.is_open
        for one in {number: one for one, number in self.model.reference.items()}.values():
            self.model.measure(one)

    @precondition(lambda self: self.model.conflicts)
    @rule(judge=JUDGE, pick=PICK)
    def open_conflict(self, judge: str, pick: int) -> None:
        key, pk = self.conflict(pick)
        self.same(
            lambda: self.model.take_turn(judge, key),
            lambda: take_turn(conflict_id=pk, adjudicator=self.people[judge]),
        )

    @precondition(lambda self: self.model.turns)
    @rule(judge=JUDGE, pick=PICK)
    def give_turn_back(self, judge: str, pick: int) -> None:
        key, pk = self.conflict(pick)
        self.model.give_back(judge, key)
        give_back(conflict_id=pk, adjudicator=self.people[judge])

    @precondition(lambda self: self.model.conflicts)
    @rule(judge=JUDGE, pick=PICK)
    def decide(self, judge: str, pick: int) -> None:
        key, pk = self.conflict(pick)
        self.same(
            lambda: self.model.rule(judge, key),
            lambda: rule_on(
                conflict_id=pk,
                adjudicator=self.people[judge],
                decision="mean",
                reason_code="overlooked",
                reason="Overlooked.",
                password=PASSWORD,
            ),
        )

    @precondition(lambda self: self.model.rulings)
    @rule(pick=PICK)
    def void(self, pick: int) -> None:
        number = pick % len(self.model.rulings)
        rows = Adjudication.objects.filter(conflict__campaign=self.campaign).order_by("made_at")
        self.same(
            lambda: self.model.void(number),
            lambda: void_adjudication(
                adjudication_id=rows[number].pk, reason="A slip.", by=self.people["ada"]
            ),
        )

    @precondition(lambda self: self.model.conflicts)
    @rule(judge=JUDGE, pick=PICK, kind=st.sampled_from(("again", "another")))
    def ask_again(self, judge: str, pick: int, kind: str) -> None:
        key, pk = self.conflict(pick)
        self.same(
            lambda: self.model.send_back(judge, key, kind),
            lambda: send_back(
                conflict_id=pk, adjudicator=self.people[judge], kind=kind, question="Claim 2?"
            ),
        )

    @precondition(lambda self: self.model.rounds)
    @rule(judge=JUDGE, pick=PICK)
    def stop_asking(self, judge: str, pick: int) -> None:
        key, pk = self.conflict(pick)
        self.same(
            lambda: self.model.call_back(key),
            lambda: call_back(conflict_id=pk, adjudicator=self.people[judge]),
        )

    @rule()
    def export(self) -> None:
        """Export every rating as it is now, with each revision, whatever was done before."""
        detail = Detail(pseudonyms(self.campaign, "key"), frozenset(), True, True)
        exported = [
            (
                line["candidate_sha256"],
                line["scores"]["feature_completeness"],
                line["version"],
                len(line["revisions"]),
            )
            for line in exported_lines(self.campaign, detail)
        ]
        digests = {key: one.claims_sha256 for key, one in self.candidates.items()}
        assert sorted(exported) == sorted(
            (digests[one], row["score"], row["version"], row["version"])
            for (_, one), row in self.model.ratings.items()
        )

    @invariant()
    def rows_agree_with_the_model(self) -> None:
        assert stored(self.campaign) == expected(self.model)
        self.steps += 1
        if self.steps % SELDOM == 0:
            assert shown(self.campaign, self.people) == expected_to_show(self.model)


class WithLadder(Workflow):
    """The same with a further annotator before the adjudicator."""

    has_ladder = True
