"""Gives every stored candidate the campaign, place in the queue and count of its assignments."""

from django.db import migrations
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

HOLDING = ("open", "submitted")


def fill(apps, schema_editor):
    Candidate = apps.get_model("annotator", "Candidate")
    Reference = apps.get_model("annotator", "Reference")
    Assignment = apps.get_model("annotator", "Assignment")
    Campaign = apps.get_model("annotator", "Campaign")
    reference = Reference.objects.filter(pk=OuterRef("reference_id"))
    held = (
        Assignment.objects.filter(candidate_id=OuterRef("pk"), status__in=HOLDING)
        .order_by()
        .values("candidate_id")
        .annotate(count=Count("pk"))
        .values("count")
    )
    Candidate.objects.update(
        campaign_id=Subquery(reference.values("campaign_id")[:1]),
        queue_position=Subquery(reference.values("position")[:1]),
        held=Coalesce(Subquery(held), 0),
    )
    for campaign in Campaign.objects.all():
        Candidate.objects.filter(campaign=campaign, held__gte=campaign.overlap).update(has_room=False)


class Migration(migrations.Migration):
    dependencies = [("annotator", "0002_rating_room")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
