"""The workflow as plain dicts: what every act does, or why it is refused, without a database.

Candidates are named by 32 hexadecimal digits, people by name.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from annotator.conflicts.rules import ConflictRules, Finding
from annotator.rating_values import RatedScores, scores_of
from patclaimeval.rubric import TOTAL_WEIGHT
from tests.annotator.conflicts.findings import find_conflicts

ANNOTATORS: Final = ("alice", "bob", "erin")
ADJUDICATORS: Final = ("carol", "dora")
Key = tuple[str, str, str, str]


class Late(Exception):
    """The world has moved on."""


class Wrong(Exception):
    """Asked for what cannot be given."""


class NotTheirs(Exception):
    """Not for this person."""


@dataclass
class Workflow:
    """One campaign; `reference` holds of which reference a candidate is."""

    has_ladder: bool
    reference: dict[str, int]
    is_open: bool = True
    places: dict[str, int] = field(default_factory=dict)
    # By person and candidate: status, leased, draft; and score, version, round, fresh.
    shares: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    ratings: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    rounds: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    conflicts: dict[Key, str] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)
    # Candidates that each adjudication decided, and whether it stands.
    rulings: list[dict[str, Any]] = field(default_factory=list)

    def held(self, one: str) -> int:
        rows = (row for (_, c), row in self.shares.items() if c == one)
        return sum(row["status"] in {"open", "submitted"} for row in rows)

    def raters(self, one: str) -> list[str]:
        return [person for person, c in self.ratings if c == one]

    def ruled(self) -> set[str]:
        return {one for row in self.rulings if row["valid"] for one in row["candidates"]}

    def running(self, one: str) -> dict[str, Any] | None:
        return next((row for row in self.rounds.get(one, []) if row["running"]), None)

    def is_locked(self, one: str) -> bool:
        if not self.raters(one):
            return False
        if not self.is_open:
            return True
        fresh = any(self.ratings[person, one]["fresh"] for person in self.raters(one))
        is_full = len(self.raters(one)) >= self.places[one]
        is_final = (is_full and not fresh) or one in self.turns or one in self.ruled()
        return is_final and self.running(one) is None

    def need_open(self) -> None:
        if not self.is_open:
            raise Late

    def assign(self, person: str, one: str, *, leased: bool = False) -> None:
        row = self.shares.setdefault((person, one), {"draft": 0})
        row |= {"status": "open", "leased": leased}

    def takeable(self, person: str) -> set[str]:
        """Return what take_next may give, any of which is right; none at all is right as well."""
        self.need_open()
        mine = {c: row["status"] for (who, c), row in self.shares.items() if who == person}
        if started := {c for c, status in mine.items() if status == "open"}:
            return started
        scene = {c for c in self.reference if self.held(c) < self.places[c]}
        if again := {c for c in scene if mine.get(c) == "lapsed"}:
            return again
        return {c for c in scene if c not in mine}

    def skip(self, person: str, one: str) -> None:
        self.need_open()
        if self.shares[person, one]["status"] not in {"open", "lapsed"}:
            raise Late
        self.shares[person, one]["status"] = "skipped"

    def take_back(self, person: str, one: str) -> None:
        self.need_open()
        row = self.shares[person, one]
        is_full = row["leased"] and self.held(one) >= self.places[one]
        if row["status"] != "skipped" or is_full:
            raise Late
        row["status"] = "open"

    def withdraw(self, person: str, reference: int) -> None:
        self.need_open()
        rows = [
            row
            for (who, c), row in self.shares.items()
            if who == person and self.reference[c] == reference and row["status"] == "open"
        ]
        if not rows:
            raise Late
        for row in rows:
            row["status"] = "withdrawn"

    def submit(self, person: str, one: str, score: int) -> None:
        row = self.shares[person, one]
        is_full = row["status"] == "lapsed" and self.held(one) >= self.places[one]
        left = row["status"] in {"submitted", "skipped", "withdrawn"}
        if not self.is_open or left or is_full:
            raise Late
        row |= {"status": "submitted", "draft": 0}
        asked = self.running(one)
        number = 1
        if asked and asked["kind"] != "again":
            asked["running"], number = False, asked["number"]
        self.ratings[person, one] = {"score": score, "version": 1, "round": number, "fresh": True}
        self.measure(one)

    def revise(self, person: str, one: str, score: int) -> None:
        if self.is_locked(one):
            raise Late
        row = self.ratings[person, one]
        row |= {"score": score, "version": row["version"] + 1, "fresh": True}
        self.shares[person, one]["draft"] = 0
        asked = self.running(one)
        if asked and asked["kind"] == "again":
            row["round"] = asked["number"]
            if person in asked["looks"]:
                asked["looks"][person] = True
            asked["running"] = not all(asked["looks"].values())
        self.measure(one)

    def findings(self, one: str) -> dict[Key, Finding]:
        here = [
            RatedScores(who, c, scores_of([row["score"]] * 4 + [TOTAL_WEIGHT * row["score"]]))
            for (who, c), row in self.ratings.items()
            if self.reference[c] == self.reference[one]
        ]
        rules = ConflictRules(has_ladder=self.has_ladder)
        found = find_conflicts(here, rules)
        return {(f.kind, f.candidate, f.other_candidate, f.criterion): f for f in found}

    def measure(self, one: str) -> None:
        mine = {who for who, c in self.ratings if self.reference[c] == self.reference[one]}
        if len(mine) < 2:
            return
        found = self.findings(one)
        here = {k for k in self.conflicts if self.reference[k[1]] == self.reference[one]}
        asked = self.asked(found, here)
        for key in here | set(found):
            pair = {key[1], key[2]} - {""}
            known = self.conflicts.get(key)
            if known == "ruled" or (known in (None, "lapsed") and pair <= self.ruled()):
                continue
            now = "waiting" if pair & asked else "open"
            self.conflicts[key] = now if key in found else "lapsed"

    def asked(self, found: dict[Key, Finding], here: set[Key]) -> set[str]:
        asked = {c for c in self.reference if self.running(c)}
        if not self.is_open:
            return asked
        past = {c for c in self.reference if self.rounds.get(c)} | self.ruled() | {""}
        first = {c for key in found for c in key[1:3]} - past
        short = {c for c in first if len(self.raters(c)) < self.places[c]}
        coming = {c for c in short if self.is_at_work(c) or self.free_people(c)}
        beyond = {c for key in here if self.conflicts[key] != "lapsed" for c in key[1:3]}
        for one in sorted(first - coming - beyond):
            if self.has_ladder and self.free_people(one):
                self.ask(one, "ladder", "")
                asked.add(one)
        return asked | coming

    def is_at_work(self, one: str) -> bool:
        rows = (row for (_, c), row in self.shares.items() if c == one)
        return any(row["status"] in {"open", "lapsed"} for row in rows)

    def free_people(self, one: str) -> list[str]:
        """Return who never had a candidate: readers of its reference first, then the least busy."""
        started = {
            who: [c for (w, c), row in self.shares.items() if w == who and row["status"] == "open"]
            for who in ANNOTATORS
        }
        here = {
            who: any(self.reference[c] == self.reference[one] for c in started[who])
            for who in ANNOTATORS
        }
        people = [who for who in ANNOTATORS if (who, one) not in self.shares]
        return sorted(people, key=lambda who: (not here[who], len(started[who]), who))

    def ask(self, one: str, kind: str, by: str) -> None:
        rows = self.rounds.setdefault(one, [])
        looks = dict.fromkeys(self.raters(one), False) if kind == "again" else {}
        row = {"number": len(rows) + 2, "kind": kind, "by": by, "running": True, "looks": looks}
        rows.append(row)
        if kind == "again":
            return
        self.places[one] += 1
        holding = [
            row["leased"]
            for (_, c), row in self.shares.items()
            if c == one and row["status"] in {"open", "submitted"}
        ]
        people = self.free_people(one)
        if people and not any(holding):
            self.assign(people[0], one)
