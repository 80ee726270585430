"""Fills a fresh database of Label Studio with a project, and counts afterwards what is in it.

Runs under Label Studio's own interpreter, Django being set up (processes.helper).
"""

import itertools

from django.core.management import call_command
from django.db.models import Count, F
from organizations.models import Organization
from projects.models import Project, ProjectMember
from tasks.models import Annotation, Task
from users.models import User

from annotation_flow.texts import make_items

BATCH = 2000
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


def fill(items: int, annotators: int, overlap: int) -> dict[str, object]:
    """Migrate, load the tasks as its own import does, make the people; return their tokens."""
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
        maximum_annotations=overlap,
    )
    source = make_items(items)
    while batch := list(itertools.islice(source, BATCH)):
        tasks = Task.objects.bulk_create(
            [
                Task(
                    project=project,
                    data={"reference": item.reference, "candidate": item.candidate},
                    overlap=overlap,
                    inner_id=item.number + 1,
                )
                for item in batch
            ],
            batch_size=500,
        )
        project.summary.update_data_columns(tasks)
    tokens = []
    for number in range(annotators):
        user = User.objects.create_user(email=f"flow{number}@example.org", password=None)
        organization.add_user(user)
        user.active_organization = organization
        user.save()
        ProjectMember.objects.create(user=user, project=project)
        tokens.append(user.auth_token.key)
    return {"tokens": tokens}


def count() -> dict[str, object]:
    """Return the annotations stored, and how often a task has more people than it may have."""
    annotations = Annotation.objects.filter(was_cancelled=False)
    people = Task.objects.annotate(n=Count("annotations__completed_by", distinct=True))
    pairs = annotations.values("task", "completed_by").annotate(n=Count("pk"))
    return {
        "ratings": annotations.count(),
        "beyond_overlap": people.filter(n__gt=F("overlap")).count(),
        "twice_to_one": pairs.filter(n__gt=1).count(),
    }
