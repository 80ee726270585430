"""Fill a fresh database of Label Studio. Runs under its own interpreter (filling.fill)."""

import itertools

from django.core.management import call_command
from flow.texts import make_items
from organizations.models import Organization
from projects.models import Project, ProjectMember
from tasks.models import Task
from users.models import User

BATCH = 500
CRITERIA = (
    "feature_completeness",
    "conceptual_clarity",
    "terminology_consistency",
    "logical_linkage",
)
CONFIG = (
    '<View><Text name="reference" value="$reference"/><Text name="candidate" value="$candidate"/>'
    + "".join(f'<Rating name="{name}" toName="candidate" maxRating="10"/>' for name in CRITERIA)
    + "</View>"
)


def fill(references: int, candidates: int, people: int, _ratings: int) -> list[dict[str, str]]:
    """Migrate, store the tasks as its own import does, add annotators; return their tokens."""
    call_command("migrate", verbosity=0)
    admin = User.objects.create_user(email="admin@example.org", password="not for use")
    organization = Organization.create_organization(
        created_by=admin, title="flow", legacy_api_tokens_enabled=True
    )
    project = Project.objects.create(
        title="flow",
        created_by=admin,
        organization=organization,
        label_config=CONFIG,
        maximum_annotations=2,
    )
    source = make_items(references, candidates)
    while batch := list(itertools.islice(source, BATCH)):
        rows = [
            Task(
                project=project,
                data={"reference": item.reference, "candidate": item.candidate},
                overlap=2,
                inner_id=item.number + 1,
            )
            for item in batch
        ]
        project.summary.update_data_columns(Task.objects.bulk_create(rows))
    headers = []
    for number in range(people):
        user = User.objects.create_user(email=f"flow{number}@example.org", password=None)
        organization.add_user(user)
        user.active_organization = organization
        user.save()
        ProjectMember.objects.create(user=user, project=project)
        headers.append({"Authorization": f"Token {user.auth_token.key}"})
    return headers
