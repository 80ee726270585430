"""A host as a firm fills it: rated claim sets of real length, a dataset, a model's files."""

import hashlib
import json
import random
from typing import Any

from benchmarks.datasets import REAL, claim_sets

CANDIDATES, ANNOTATORS, BATCH = 3, 2, 500
COMMENT = "The second limitation is gone, and what is left reads wider than the reference. " * 2


def fill_host(ratings: int, quadruplets: int, model_mb: int) -> None:
    """Store a campaign that is rated, a dataset version and a model with files."""
    from annotator.models import Campaign, Reference, User

    texts = claim_sets(REAL)
    campaign = Campaign.objects.create(slug="rated", name="Rated", overlap=ANNOTATORS)
    people = [User.objects.create(username=f"rater-{n}") for n in range(ANNOTATORS)]
    total = ratings // (CANDIDATES * ANNOTATORS)
    for start in range(0, total, BATCH):
        references = Reference.objects.bulk_create(
            Reference(
                campaign=campaign,
                reference_id=f"r{number:07}",
                claims=next(texts),
                claims_sha256=f"{number:064}",
                position=number,
            )
            for number in range(start, min(start + BATCH, total))
        )
        rate(campaign, references, people, texts)
    store_files(quadruplets, model_mb, texts)


def rate(campaign: Any, references: list[Any], people: list[Any], texts: Any) -> None:
    """Give each reference its candidates, and each of those a rating by everybody."""
    from django.utils import timezone

    from annotator.models import Assignment, Candidate, Rating, RatingRevision
    from annotator.rubric import CRITERIA, overall_numerator

    candidates = Candidate.objects.bulk_create(
        Candidate(
            reference=reference,
            campaign=campaign,
            candidate_id=f"c{number}",
            claims=next(texts),
            claims_sha256=f"{number:064}",
        )
        for reference in references
        for number in range(CANDIDATES)
    )
    now, chance = timezone.now(), random.Random(references[0].reference_id)
    given, ratings, revisions = [], [], []
    for candidate in candidates:
        for user in people:
            named = {"campaign": campaign, "annotator": user, "candidate": candidate}
            given.append(Assignment(**named, label="Candidate", status="submitted"))
            scores = {criterion: chance.randint(0, 10) for criterion in CRITERIA}
            values = scores | {"overall_numerator": overall_numerator(scores), "comment": COMMENT}
            ratings.append(
                Rating(
                    assignment=given[-1],
                    candidate=candidate,
                    annotator=user,
                    rubric_version="1",
                    submitted_at=now,
                    revised_at=now,
                    **values,
                )
            )
            revisions.append(RatingRevision(rating=ratings[-1], number=1, made_at=now, **values))
    for model, rows in ((Assignment, given), (Rating, ratings), (RatingRevision, revisions)):
        model.objects.bulk_create(rows, batch_size=BATCH)


def store_files(quadruplets: int, model_mb: int, texts: Any) -> None:
    """Import a dataset and register a model whose weights are noise: a backup reads no weights."""
    from scoring.datasets.freezing.imports import import_dataset
    from scoring.files import models_directory
    from scoring.formats.rows import DatasetRow
    from scoring.models import ModelVersion, TrainingRun
    from scoring.quadruplets import SplitPlan
    from scoring.training.model_versions.files import seal_of

    rows = (
        DatasetRow(
            id=f"q{number}",
            reference_id=f"r{number}",
            reference=next(texts),
            b=next(texts),
            c=next(texts),
            b_id="b",
            c_id="c",
            y={"feature_completeness": number % 3 - 1},
            split="train",
        )
        for number in range(quadruplets)
    )
    version = import_dataset(name="stored", rows=list(rows), plan=SplitPlan("file")).version
    directory = models_directory() / "model-stored"
    directory.mkdir(parents=True)
    weights = random.Random(5).randbytes(model_mb * 1_000_000)
    (directory / "model.safetensors").write_bytes(weights)
    digests = {"model.safetensors": hashlib.sha256(weights).hexdigest()}
    manifest = json.dumps({"sha256": digests}).encode()
    (directory / "MANIFEST.json").write_bytes(manifest)
    named = {"dataset_version": version, "criterion": "feature_completeness"}
    model = ModelVersion(
        run=TrainingRun.objects.create(**named, settings={}, status="succeeded"),
        criterion="feature_completeness",
        directory=directory.name,
        manifest_sha256=hashlib.sha256(manifest).hexdigest(),
        dataset_sha256=version.sha256,
        code_version="benchmark",
        card={},
    )
    model.seal = seal_of(model)
    model.save()
