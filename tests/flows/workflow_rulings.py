"""What adjudicators do, restated over the dicts of `workflow_model`."""

from tests.flows.workflow_model import ADJUDICATORS, Key, Late, NotTheirs, Workflow, Wrong


class Rulings(Workflow):
    """A campaign with its adjudicators."""

    def may_rule(self, who: str, key: Key) -> bool:
        senders = {row["by"] for c in self.pair(key) for row in self.rounds.get(c, [])}
        return who not in senders or all(other in senders for other in ADJUDICATORS)

    def pair(self, key: Key) -> list[str]:
        return sorted({key[1], key[2]} - {""})

    def undecided(self, key: Key) -> list[str]:
        return [c for c in self.pair(key) if c not in self.ruled()]

    def open_for(self, who: str, key: Key) -> list[str]:
        """Return the candidates that are to be decided, as far as this person may now."""
        if not self.may_rule(who, key):
            raise NotTheirs
        if self.conflicts[key] != "open":
            raise Late
        undecided = self.undecided(key)
        if any(self.turns.get(c, who) != who for c in undecided):
            raise Late
        return undecided

    def take_turn(self, who: str, key: Key) -> None:
        self.turns |= dict.fromkeys(self.open_for(who, key), who)

    def give_back(self, who: str, key: Key) -> None:
        for one in self.pair(key):
            if self.turns.get(one) == who:
                del self.turns[one]

    def rule(self, who: str, key: Key) -> None:
        undecided = self.open_for(who, key)
        self.rulings.append({"candidates": undecided, "valid": True})
        ruled = self.ruled()
        for other, status in self.conflicts.items():
            pair = set(self.pair(other))
            is_settled = pair <= (ruled if other[2] else set(undecided))
            if status == "open" and is_settled:
                self.conflicts[other] = "ruled"
        for one in undecided:
            self.turns.pop(one, None)
        self.measure(key[1])

    def void(self, number: int) -> None:
        row = self.rulings[number]
        if not row["valid"]:
            raise Late
        row["valid"] = False
        for key, status in self.conflicts.items():
            if status == "ruled" and set(self.pair(key)) & set(row["candidates"]):
                self.conflicts[key] = "open"
        self.measure(row["candidates"][0])

    def send_back(self, who: str, key: Key, kind: str) -> None:
        undecided = self.open_for(who, key)
        if not self.is_open or any(self.running(c) for c in undecided):
            raise Late
        if kind == "another":
            self._need_people(undecided)
        for one in undecided:
            self.ask(one, kind, who)
            self.turns.pop(one, None)
        self.measure(key[1])

    def _need_people(self, undecided: list[str]) -> None:
        if not all(self.free_people(c) for c in undecided):
            raise Wrong

    def call_back(self, key: Key) -> None:
        running = [c for c in self.pair(key) if self.running(c)]
        if not running and self.conflicts[key] != "waiting":
            raise Late
        for one in running:
            row = self.running(one)
            assert row
            row["running"] = False
            if row["kind"] != "again":
                self.places[one] -= 1
        for one in self.pair(key):
            if not self.rounds.get(one):
                self.rounds[one] = [
                    {"number": 2, "kind": "ladder", "by": "", "running": False, "looks": {}}
                ]
        self.measure(key[1])

    def left_out(self, *, include_unlocked: bool) -> dict[str, int]:
        """Count what a freeze leaves out, by reason."""
        unsettled = {"open", "waiting"}
        disputed = {
            c for key, s in self.conflicts.items() if s in unsettled for c in self.pair(key)
        }
        counts = {"not rated": 0, "open conflict": 0, "not locked": 0}
        for one in self.reference:
            if not self.raters(one):
                counts["not rated"] += 1
            elif one in disputed:
                counts["open conflict"] += 1
            elif not include_unlocked and not self.is_locked(one):
                counts["not locked"] += 1
        return {reason: count for reason, count in counts.items() if count}
