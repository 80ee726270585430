"""Gives every stored candidate its number of places, and every campaign its rules as version one."""

from django.db import migrations
from django.utils import timezone


def fill(apps, schema_editor):
    Candidate = apps.get_model("annotator", "Candidate")
    Campaign = apps.get_model("annotator", "Campaign")
    RulesVersion = apps.get_model("annotator", "RulesVersion")
    for campaign in Campaign.objects.all():
        Candidate.objects.filter(campaign=campaign).update(places=campaign.overlap)
        RulesVersion.objects.get_or_create(
            campaign=campaign,
            number=1,
            defaults={
                "criterion_gap": campaign.criterion_gap,
                "overall_gap_numerator": campaign.overall_gap_numerator,
                "flip_gap_numerator": campaign.flip_gap_numerator,
                "has_ladder": False,
                "made_at": timezone.now(),
            },
        )


class Migration(migrations.Migration):
    dependencies = [("annotator", "0007_campaign_care")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
