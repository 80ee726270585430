"""Fill a fresh database of doccano. Runs under its own interpreter (filling.fill)."""

import itertools

from django.contrib.auth.models import User
from django.core.management import call_command
from examples.models import Example
from flow.texts import make_items
from label_types.models import CategoryType
from projects.models import Member, ProjectType, TextClassificationProject
from rest_framework.authtoken.models import Token
from roles.models import Role

BATCH = 500


def fill(references: int, candidates: int, people: int, _ratings: int) -> list[dict[str, str]]:
    """Migrate, store the examples, add annotators; return their tokens."""
    call_command("migrate", verbosity=0)
    call_command("create_roles")
    admin = User.objects.create_superuser("flow-admin", password="not for use")
    project = TextClassificationProject.objects.create(
        name="flow", project_type=ProjectType.DOCUMENT_CLASSIFICATION, created_by=admin
    )
    project.add_admin()
    for score in range(11):
        CategoryType.objects.create(project=project, text=str(score))
    source = make_items(references, candidates)
    while batch := list(itertools.islice(source, BATCH)):
        texts = (f"{item.reference}\n\n{item.candidate}" for item in batch)
        Example.objects.bulk_create([Example(project=project, text=text) for text in texts])
    role = Role.objects.get(name="annotator")
    headers = []
    for number in range(people):
        user = User.objects.create_user(f"flow{number}")
        Member.objects.create(project=project, user=user, role=role)
        headers.append({"Authorization": f"Token {Token.objects.create(user=user).key}"})
    return headers
