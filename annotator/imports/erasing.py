"""Takes the texts of one reference out of this package's rows; scores, times and names stay."""

from typing import Any, Final

from django.db.models import Case, Q, Value, When
from django.utils.crypto import salted_hmac

from annotator.context.services import drop_read_context, erase_context
from annotator.imports.files import drop_upload
from annotator.models import (
    Adjudication,
    Assignment,
    AssignmentStatus,
    CalibrationItem,
    Candidate,
    ClaimImport,
    Comparison,
    ComparisonDraft,
    Conflict,
    Departure,
    Draft,
    DraftClaimsEdit,
    Flag,
    ImportedAnnotation,
    Preference,
    PreferenceRevision,
    PreparedRuling,
    Rating,
    RatingRevision,
    ReadClaimSet,
    Reference,
    ReferenceNote,
    ReliabilityReport,
    Round,
    Turn,
)
from annotator.rating_values import texts_of

GONE: Final = "[erased]"
_SALT: Final = "annotator.erasures"


def keyed_mark(text: str) -> str:
    """Return a hash of a text that nobody can try out without the site's key.

    A plain digest of a short claim could be guessed.
    """
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()


def erase_texts(reference: Reference) -> dict[str, int]:
    """Empty what was written in a reference and about it; return how many rows of each kind.

    Its authors' drafts and own notes go, spans go with the words that they mark. The caller holds
    the transaction and the lock of the reference.
    """
    candidates = Candidate.objects.filter(reference=reference)
    of_it: dict[str, Any] = {"candidate__in": candidates.values("pk")}
    given = Assignment.objects.filter(**of_it)
    by_assignment = {"assignment__in": given.values("pk")}
    counts = {
        "drafts": Draft.objects.filter(**by_assignment).delete()[0],
        "context": erase_context(reference),
        "earlier drafts of claims": DraftClaimsEdit.objects.filter(reference=reference).update(
            earlier="", reason=""
        ),
        "own notes": ReferenceNote.objects.filter(reference=reference).delete()[0],
        "prepared rulings": _prepared(candidates),
        "turns": Turn.objects.filter(**of_it).delete()[0],
        "departures": Departure.objects.filter(**by_assignment).update(reason=""),
        "flags": Flag.objects.filter(**by_assignment).update(reason="", answer=""),
        "rounds": Round.objects.filter(**of_it).update(question=""),
        "ratings": _clear_texts(Rating.objects.filter(**of_it)),
        "revisions": _clear_texts(
            RatingRevision.objects.filter(rating__in=Rating.objects.filter(**of_it).values("pk"))
        ),
        # Their reasons may quote.
        "calibration": CalibrationItem.objects.filter(**of_it).delete()[0],
        **_comparisons(candidates),
        "rulings": _rulings(candidates),
    }
    given.filter(status__in=(AssignmentStatus.OPEN, AssignmentStatus.LAPSED)).update(
        status=AssignmentStatus.WITHDRAWN
    )
    counts |= _campaign_wide(reference)
    counts["sources"] = _sources(reference)
    counts["candidates"] = _candidates(candidates)
    _empty_reference(reference)
    return counts


def _clear_texts(rows: Any) -> int:
    """Empty the free texts, and leave of each tag its name; return how many rows."""
    for row in rows.exclude(error_tags=[]).iterator(chunk_size=200):
        row.error_tags = [
            {"tag": tag["tag"]} if isinstance(tag, dict) and "tag" in tag else tag
            for tag in row.error_tags
        ]
        row.save(update_fields=["error_tags"])
    columns = {field.name for field in rows.model._meta.concrete_fields}
    return int(rows.update(**{name: "" for name in texts_of({}) if name in columns}))


def _comparisons(candidates: Any) -> dict[str, int]:
    keys = candidates.values("pk")
    of_either = Q(left__in=keys) | Q(right__in=keys)
    pairs = Comparison.objects.filter(of_either)
    drafts = ComparisonDraft.objects.filter(comparison__in=pairs.values("pk")).delete()
    annotations = ImportedAnnotation.objects.filter(of_either).delete()
    preferences = Preference.objects.filter(comparison__in=pairs.values("pk"))
    counts = {
        "comparison drafts": drafts[0],
        "annotations": annotations[0],
        "preferences": _clear_texts(preferences),
        "preference revisions": _clear_texts(
            PreferenceRevision.objects.filter(preference__in=preferences.values("pk"))
        ),
    }
    pairs.filter(preference=None).delete()
    return counts


def _prepared(candidates: Any) -> int:
    keys = candidates.values("pk")
    of_either = Q(conflict__candidate__in=keys) | Q(conflict__other_candidate__in=keys)
    return PreparedRuling.objects.filter(of_either).delete()[0]


def _rulings(candidates: Any) -> int:
    """Empty the reasons; their signature then shows that they are not what was signed."""
    keys = candidates.values("pk")
    conflicts = Conflict.objects.filter(Q(candidate__in=keys) | Q(other_candidate__in=keys))
    rows = Adjudication.objects.filter(conflict__in=conflicts.values("pk"))
    rows.exclude(voided_because="").update(voided_because=GONE)
    return rows.update(reason=GONE)


def _sources(reference: Reference) -> int:
    """Delete the documents that it or its candidates were read from; an archive goes whole.

    Of other references in it the claims stay, and the digests that name their source.
    """
    own = ReadClaimSet.objects.filter(belongs_to=reference)
    imports = ClaimImport.objects.filter(claim_sets__in=own.values("pk"), has_source=True)
    keys = list(imports.values_list("pk", flat=True).distinct())
    for pk in keys:
        drop_upload(pk)
    ClaimImport.objects.filter(pk__in=keys).update(has_source=False)
    # Plain digests of short claims could be guessed.
    own.update(
        **dict.fromkeys(
            ("reference_id", "file_name", "file_sha256", "read_sha256", "stored_sha256"), ""
        ),
        candidate_id=Case(When(candidate_id="", then=Value("")), default=Value(GONE)),
    )
    return len(keys)


def _campaign_wide(reference: Reference) -> dict[str, int]:
    """Empty what was found in files, drop those that wait, and figures that may quote."""
    imports = ClaimImport.objects.filter(campaign=reference.campaign_id)
    unstored = ReadClaimSet.objects.filter(claim_import__in=imports.values("pk"), belongs_to=None)
    drop_read_context(unstored, is_erasure=True)
    unstored.delete()
    count = 0
    for row in imports.iterator(chunk_size=50):
        if not row.has_source:
            drop_upload(row.pk)
        row.result = {name: value for name, value in row.result.items() if _is_count(value)}
        row.save(update_fields=["result"])
        count += 1
    reports = ReliabilityReport.objects.filter(campaign=reference.campaign_id).delete()
    return {"imports": count, "reliability reports": reports[0]}


def _is_count(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_count(inner) for inner in value.values())
    return isinstance(value, int | float)


def _candidates(candidates: Any) -> int:
    for number, row in enumerate(candidates.order_by("pk"), start=1):
        damage = {name: row.damage[name] for name in ("criterion", "kind") if name in row.damage}
        candidates.filter(pk=row.pk).update(
            claims="",
            claims_sha256=keyed_mark(row.claims),
            candidate_id=f"erased-{number}",
            damage=damage,
            places=0,
            has_room=False,
        )
    return int(candidates.count())


def _empty_reference(reference: Reference) -> None:
    mark = keyed_mark(reference.claims)
    Reference.objects.filter(pk=reference.pk).update(
        claims="",
        draft_claims="",
        claims_sha256=mark,
        # The end of the key: its beginning is the moment of the import, the same for all of a file.
        reference_id=f"erased-{reference.pk.hex[-12:]}",
        may_train=False,
        **dict.fromkeys(("title", "office", "ipc", "family"), ""),
    )
