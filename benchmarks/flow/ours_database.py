"""Fill a fresh database of this application. Runs in a process of its own (filling.fill)."""

import json
import random
import secrets
import tempfile
from itertools import groupby

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from flow.texts import make_items

from annotator.accounts.services import create_user
from annotator.accounts.sessions import create_token
from annotator.campaigns.members.services import grant_role
from annotator.campaigns.services import create_campaign
from annotator.models import Assignment, Campaign, Candidate, Rating, Role, User
from patclaimeval.rubric import CRITERIA, overall_numerator

SLUG = "flow"
EARLIER = 5
"""Ratings that every candidate has before the measurement, where so many are asked for."""
OVERLAP = EARLIER + 2
BATCH = 400  # candidates at a time


def fill(references: int, candidates: int, people: int, ratings: int) -> list[dict[str, str]]:
    """Migrate, import the claim sets, store earlier ratings; return the annotators' headers."""
    call_command("migrate", verbosity=0)
    campaign = create_campaign(slug=SLUG)
    Campaign.objects.filter(pk=campaign.pk).update(overlap=OVERLAP)
    _import(references, candidates)
    earlier = [_annotator(campaign, f"earlier{number}") for number in range(EARLIER)]
    _store_ratings(campaign, earlier, ratings)
    headers = [_headers(_annotator(campaign, f"flow{number}")) for number in range(people)]
    if connection.vendor == "postgresql":
        # The server's own housekeeping does this within a minute of such a load.
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return headers


def _import(references: int, candidates: int) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        items = make_items(references, candidates)
        for number, group in groupby(items, key=lambda item: item.reference_number):
            of_one = list(group)
            record = {
                "reference_id": f"reference-{number}",
                "reference_claims": of_one[0].reference,
                "candidates": [
                    {"candidate_id": f"c{item.number}", "claims": item.candidate} for item in of_one
                ],
            }
            file.write(json.dumps(record) + "\n")
        file.flush()
        call_command("import_claims", file.name, campaign=SLUG, verbosity=0)


def _annotator(campaign: Campaign, name: str) -> User:
    user = create_user(username=name, password=None)
    grant_role(user=user, campaign=campaign, role=Role.ANNOTATOR)
    return user


def _headers(user: User) -> dict[str, str]:
    """Return what identifies an annotator: a token to calls, the cookies of a session to pages."""
    browser = Client()
    browser.force_login(user)
    session = browser.cookies[settings.SESSION_COOKIE_NAME].value
    csrf = secrets.token_hex(16)
    return {
        "Authorization": f"Token {create_token(user=user).token}",
        "Cookie": f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={csrf}",
        "X-CSRFToken": csrf,
    }


def _store_ratings(campaign: Campaign, annotators: list[User], ratings: int) -> None:
    """Store earlier ratings, EARLIER of each candidate."""
    chance, now = random.Random(1), timezone.now()
    candidates = Candidate.objects.filter(campaign=campaign).only("pk").order_by("pk")
    rated = list(candidates[: ratings // EARLIER])
    for start in range(0, len(rated), BATCH):
        batch = rated[start : start + BATCH]
        given = [
            Assignment(
                campaign=campaign,
                annotator=user,
                candidate=candidate,
                label=f"Candidate {start + number}",
                position=start + number,
                status="submitted",
            )
            for number, candidate in enumerate(batch)
            for user in annotators
        ]
        Assignment.objects.bulk_create(given)
        scores = [{criterion: chance.randint(3, 9) for criterion in CRITERIA} for _ in given]
        Rating.objects.bulk_create(
            Rating(
                assignment=one,
                candidate=one.candidate,
                annotator=one.annotator,
                rubric_version=campaign.rubric_version,
                submitted_at=now,
                revised_at=now,
                overall_numerator=overall_numerator(own),
                **own,
            )
            for one, own in zip(given, scores, strict=True)
        )
        Candidate.objects.filter(pk__in=[one.pk for one in batch]).update(held=EARLIER)
