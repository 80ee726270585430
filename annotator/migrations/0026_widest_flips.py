"""Folds order flips from a row for each pair to one for each candidate: its widest.

What was ruled, signed or sent back stays as it is, and what an adjudicator has open. Of the others
a row stays that is the widest flip of one of its candidates: among those that are open, else among
those that wait, else among those that lapsed. There is nothing to undo: the next rating of a
reference has its rows measured as the program of that day measures them.
"""

from django.db import migrations

PAGE = 500
BEST_FIRST = ("open", "waiting", "lapsed")


def fold(apps, schema_editor):
    Conflict = apps.get_model("annotator", "Conflict")
    flips = Conflict.objects.filter(kind="order_flip", status__in=BEST_FIRST)
    references = flips.order_by().values_list("candidate__reference_id", flat=True).distinct()
    for reference in list(references):
        rows = list(
            flips.filter(candidate__reference_id=reference).values_list(
                "pk", "candidate_id", "other_candidate_id", "status", "gap"
            )
        )
        kept = in_use(apps, reference, rows) | widest(rows)
        folded = [row[0] for row in rows if row[0] not in kept]
        for start in range(0, len(folded), PAGE):
            Conflict.objects.filter(pk__in=folded[start : start + PAGE]).delete()


def widest(rows):
    """Return the keys of the rows that are the widest flip of one of their candidates."""
    best = {}
    for pk, one, other, status, gap in rows:
        for candidate, partner in ((one, other), (other, one)):
            rank = (BEST_FIRST.index(status), -gap, partner.hex)
            if candidate not in best or rank < best[candidate][0]:
                best[candidate] = rank, pk
    return {pk for _, pk in best.values()}


def in_use(apps, reference, rows):
    """Return the keys of the rows that something signed or a round names, or that are open."""

    def column(model, name, **where):
        return set(
            apps.get_model("annotator", model).objects.filter(**where).values_list(name, flat=True)
        )

    signed = column("Adjudication", "conflict_id", conflict__candidate__reference_id=reference)
    sent_back = column("Round", "conflict_id", conflict__candidate__reference_id=reference)
    taken = column("Turn", "candidate_id", candidate__reference_id=reference)
    ruled = column("Ruling", "candidate_id", candidate__reference_id=reference, is_valid=True)
    open_now = {row[0] for row in rows if row[3] != "lapsed" and {row[1], row[2]} - ruled <= taken}
    return signed | sent_back | open_now


class Migration(migrations.Migration):
    dependencies = [("annotator", "0025_invitations_of_accounts")]
    operations = [migrations.RunPython(fold, migrations.RunPython.noop, elidable=True)]
