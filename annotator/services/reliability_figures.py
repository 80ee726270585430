"""Works out the figures of a campaign's agreement: reads, measures, returns plain data."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from annotator.models import Campaign
from annotator.queries.given_preferences import (
    GivenPreferences,
    given_preferences,
    preference_table,
)
from annotator.queries.given_ratings import (
    BY_ADMIN,
    GivenRating,
    GivenRatings,
    given_ratings,
    is_genuine,
)
from annotator.queries.rating_inputs import Inputs, rating_admins
from annotator.queries.rating_tables import (
    position_table,
    repeated_ratings,
    repeats_of,
    score_table,
    sentinels_of,
    unit_of,
)
from annotator.rubric import ALL_CRITERIA

SCHEMA: Final = 1
SEED: Final = 0
# Each criterion takes 12 coefficients and 3 steps about people; the rest is one step.
STEPS: Final = 15 * len(ALL_CRITERIA) + 1

Plain = dict[str, Any]
Say = Callable[[float, str], None]


class Given:
    """Everything of a campaign that a report is about, read once."""

    def __init__(self, campaign: Campaign) -> None:
        self.ratings: GivenRatings = given_ratings(campaign)
        self.preferences: GivenPreferences = given_preferences(campaign)
        self.inputs = Inputs(self.ratings.state, self.preferences.state, rating_admins(campaign))
        self.repeats = repeated_ratings(campaign, self.ratings)
        self.sentinels, self.assumed = sentinels_of(campaign, self.ratings)


def figures_of(given: Given, say: Say = lambda share, words: None) -> Plain:
    """Return all figures; `say` hears how far it is, between 0 and 1, and may raise to stop it.

    numpy and scipy load here, in a worker or command: the web process stays light.
    """
    from annotator.reliability.sensitivity import sensitivity

    done = 0

    def step(words: str) -> Callable[[], None]:
        def check() -> None:
            nonlocal done
            done += 1
            say(min(1.0, done / STEPS), words)

        return check

    criteria = [_criterion(given, key, step(key)) for key in ALL_CRITERIA]
    found = sensitivity(given.sentinels, seed=SEED)
    step("sentinels and preferences")()
    return {
        "schema": SCHEMA,
        "inputs": _inputs(given.inputs),
        "annotators": _annotators(given),
        "counts": _counts(given),
        "criteria": criteria,
        "sentinels": {
            "n": len(given.sentinels),
            "assumed": given.assumed,
            "groups": [_sensitivity(one) for one in found],
        },
        "preferences": _preferences(given),
    }


def _criterion(given: Given, key: str, check: Callable[[], None]) -> Plain:
    from annotator.reliability.criterion_report import criterion_report
    from annotator.reliability.people_report import (
        drift_report,
        others_report,
        repeats_report,
        severity_report,
    )

    table, unit = score_table(given.ratings.rows, key), unit_of(key)
    found = criterion_report(table, unit, check, seed=SEED)
    found["severity"] = severity_report(table, unit)
    check()
    found["drift"] = drift_report(table, position_table(given.ratings.rows), unit)
    check()
    found["others"] = others_report(table, unit)
    check()
    found["repeats"] = repeats_report(repeats_of(given.repeats, key), unit, seed=SEED)
    return {"key": key} | found


def _preferences(given: Given) -> Plain:
    from annotator.reliability.preference_report import preference_report

    rows = given.preferences.rows
    return {
        "n": len(rows),
        "pairs": len({row.pair for row in rows}),
        "annotators": len({row.annotator for row in rows}),
        "criteria": [
            {"key": key} | preference_report(preference_table(rows, key), seed=SEED)
            for key in (ALL_CRITERIA if rows else ())
        ],
    }


def _sensitivity(found: Any) -> Plain:
    from annotator.reliability.plain import plain_estimate

    return {
        "annotator": found.annotator,
        "criterion": found.criterion,
        "figures": [
            plain_estimate("detected", found.detected),
            plain_estimate("drop_aimed", found.drop_aimed),
            plain_estimate("drop_elsewhere", found.drop_elsewhere),
        ],
    }


def _counts(given: Given) -> Plain:
    rows = [row for row in given.ratings.rows if is_genuine(row)]
    left_out = Counter(given.ratings.left_out)
    if given.preferences.by_admins:
        left_out[f"preferences {BY_ADMIN}"] += given.preferences.by_admins
    return {
        "ratings": len(rows),
        "annotators": _distinct(row.annotator for row in rows),
        "candidates": _distinct(row.candidate for row in rows),
        "references": _distinct(row.reference for row in rows),
        "shared": _shared(rows),
        "repeats": len(given.repeats),
        "sentinels": len(given.sentinels),
        "left_out": [{"reason": why, "n": n} for why, n in sorted(left_out.items())],
    }


def _annotators(given: Given) -> list[str]:
    """Return everybody who is named in the figures; pages give them other names."""
    rated = {row.annotator for row in given.ratings.rows}
    return sorted(rated | {row.annotator for row in given.preferences.rows})


def _distinct(values: Iterable[object]) -> int:
    return len(set(values))


def _shared(rows: list[GivenRating]) -> int:
    """Count the candidates that two or more annotators rated."""
    times = Counter(row.candidate for row in rows)
    return sum(count > 1 for count in times.values())


def _inputs(found: Inputs) -> Plain:
    return {
        "ratings": found.ratings.rows,
        "revisions": found.ratings.revisions,
        "preferences": found.preferences.rows,
        "preference_revisions": found.preferences.revisions,
    }
