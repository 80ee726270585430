"""Fills a fresh database of doccano with a project, and counts afterwards what is in it.

Runs under doccano's own interpreter, Django being set up (processes.helper).
"""

import itertools

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import Count
from examples.models import Example, ExampleState
from label_types.models import CategoryType
from projects.models import Member, ProjectType, TextClassificationProject
from rest_framework.authtoken.models import Token
from roles.models import Role

from annotation_flow.texts import make_items

BATCH = 2000


def fill(items: int, annotators: int, _overlap: int) -> dict[str, object]:
    """Migrate, load the examples, make the people; return their tokens."""
    call_command("migrate", verbosity=0)
    call_command("create_roles")
    admin = User.objects.create_superuser("flow-admin", password="not for use")
    project = TextClassificationProject.objects.create(
        name="flow", project_type=ProjectType.DOCUMENT_CLASSIFICATION, created_by=admin
    )
    project.add_admin()
    for score in range(11):
        CategoryType.objects.create(project=project, text=str(score))
    source = make_items(items)
    while batch := list(itertools.islice(source, BATCH)):
        Example.objects.bulk_create(
            [
                Example(project=project, text=f"{item.reference}\n\n{item.candidate}")
                for item in batch
            ]
        )
    role = Role.objects.get(name="annotator")
    tokens = []
    for number in range(annotators):
        user = User.objects.create_user(f"flow{number}")
        Member.objects.create(project=project, user=user, role=role)
        tokens.append(Token.objects.create(user=user).key)
    return {"tokens": tokens}


def count() -> dict[str, object]:
    """Return the confirmed annotations; there is no overlap that could be passed."""
    pairs = ExampleState.objects.values("example", "confirmed_by").annotate(n=Count("pk"))
    return {
        "ratings": ExampleState.objects.count(),
        "beyond_overlap": None,
        "twice_to_one": pairs.filter(n__gt=1).count(),
    }
