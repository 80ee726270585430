"""Candidates with graded damage for the references of a campaign or file, as a file to import."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from annotator import audit_log
from annotator.claims.damage import NothingToDamage
from annotator.claims.graded_damage import (
    KIND_NAMES,
    MOST_FAULTS,
    MOST_GRADES,
    Graded,
    graded_candidates,
)
from annotator.formats.claims_jsonl import line_of
from annotator.formats.references import CandidateRecord, ReferenceRecord
from annotator.models import Campaign, Candidate
from annotator.planning.sentinel_texts import unguessable_id
from core.errors import Refused
from core.files import open_atomic

RECORD: Final = ".damage.jsonl"
"""History to which candidate, beside the file to import, which has no place for it."""
LIKE: Final = "c1"
"""The shape of the new ids where a reference has no candidate yet."""
LONGEST_SYSTEM: Final = 100
NOTHING: Final = (
    "No reference can be rewritten: each lacks numbered claims, or places for the faults."
)


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How claim sets are rewritten: each grade gets one candidate and one system."""

    seed: int = 0
    grades: int = 4
    faults: int = 2
    kinds: tuple[str, ...] = KIND_NAMES
    system: str = "rewritten"

    def __post_init__(self) -> None:
        for name, most in (("grades", MOST_GRADES), ("faults", MOST_FAULTS)):
            if not 1 <= getattr(self, name) <= most:
                raise Refused.at(name, f"Between 1 and {most} {name} are possible.")
        if not 1 <= len(self.system.strip()) <= LONGEST_SYSTEM:
            raise Refused.at("system", f"A system has a name of up to {LONGEST_SYSTEM} characters.")


@dataclass(slots=True)
class Made:
    """How many were made, of which kinds, and which references were left out, with the reason."""

    references: int = 0
    candidates: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)


def records_of(campaign: Campaign) -> Iterator[ReferenceRecord]:
    """Yield the references of a campaign that are not erased; their candidates bear ids alone."""
    rows = campaign.references.filter(erased_at=None).order_by("position")
    for row in rows.iterator():
        ids = Candidate.objects.filter(reference=row).order_by("candidate_id")
        yield ReferenceRecord(
            reference_id=row.reference_id,
            reference_claims=row.claims,
            candidates=tuple(
                CandidateRecord(name, "") for name in ids.values_list("candidate_id", flat=True)
            ),
            office=row.office,
            ipc=row.ipc,
            language=row.language,
            title=row.title,
            family=row.family,
            draft_claims=row.draft_claims,
            may_train=row.may_train,
        )


def rewrite_records(
    records: Iterable[ReferenceRecord], how: Rewriting, made: Made
) -> Iterator[tuple[ReferenceRecord, list[dict[str, Any]]]]:
    """Yield each reference with new candidates in a drawn order, and what was done to each.

    History tells the grade, the faults, and how many places of each criterion are damaged: of
    two candidates of a reference the one of the lower grade is expected to be the better one, and
    of one criterion the one with fewer places. For the same seed a reference gets the same,
    whatever stands beside it. `made` is filled on the way.
    """
    inventions = _inventions()
    for record in records:
        rng = random.Random(f"{how.seed}:{record.reference_id}")
        # Never from another reference: a candidate would hold the text of another matter.
        other = rng.choice([text for text in inventions if text != record.reference_claims.strip()])
        try:
            row = graded_candidates(
                record.reference_claims,
                other,
                rng.randrange(2**32),
                grades=how.grades,
                faults=how.faults,
                kinds=how.kinds,
                language=record.language,
            )
        except NothingToDamage as error:
            made.left_out[record.reference_id] = str(error)
            continue
        made.references += 1
        made.candidates += len(row)
        made.kinds.update(damage.kind for damage in row[-1].applied)
        yield _with_candidates(record, row, how.system, rng)


def _with_candidates(
    record: ReferenceRecord, row: Sequence[Graded], system: str, rng: random.Random
) -> tuple[ReferenceRecord, list[dict[str, Any]]]:
    taken = {one.candidate_id for one in record.candidates}
    like = min(taken, default=LIKE)
    candidates, done = [], []
    for one in rng.sample(row, len(row)):
        name = unguessable_id(like, taken, rng)
        taken.add(name)
        candidates.append(CandidateRecord(name, one.text, f"{system}-{one.grade}"))
        done.append(
            {
                "reference_id": record.reference_id,
                "candidate_id": name,
                "system": f"{system}-{one.grade}",
                "grade": one.grade,
                "faults": [
                    {"kind": d.kind, "criterion": d.criterion, "places": d.severity}
                    for d in one.applied
                ],
                "places": one.places,
            }
        )
    return replace(record, candidates=tuple(candidates)), done


def write_rewritten(
    *,
    records: Iterable[ReferenceRecord],
    how: Rewriting,
    target: Path,
    campaign: Campaign | None = None,
) -> Made:
    """Write the file to import and, beside it, the record of what was done to each candidate.

    With a campaign, whose texts the file then holds, this is put on record before. Both files are
    there in the end, or neither is new; where nothing could be made there is none: Refused.
    """
    if campaign is not None:
        audit_log.record_on(campaign, "claims.rewritten", None, seed=how.seed, grades=how.grades)
    made = Made()
    beside = target.with_name(target.name + RECORD)
    with open_atomic(target) as file, open_atomic(beside) as told:
        for record, done in rewrite_records(records, how, made):
            file.write(line_of(record))
            told.writelines(
                json.dumps(one, ensure_ascii=False).encode() + b"\n"
                for one in sorted(done, key=lambda one: one["grade"])
            )
        if not made.references:
            raise Refused(NOTHING)
    return made


def _inventions() -> list[str]:
    """Return the invented claim sets of the demo, from which foreign words are taken."""
    folder = Path(settings.BASE_DIR) / "fixtures" / "demo" / "references"
    return [path.read_text(encoding="utf-8").strip() for path in sorted(folder.glob("*.txt"))]
