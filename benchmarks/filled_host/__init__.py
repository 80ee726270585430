"""A host as a firm fills it: rated claim sets of real length, a dataset, a model's files."""

import hashlib
import json
import random
from typing import Any

from datasets import REAL, claim_sets

CANDIDATES, ANNOTATORS = 3, 2
COMMENT = "The second limitation is gone, and what is left reads wider than the reference. " * 2


def fill_host(ratings: int, quadruplets: int, model_mb: int) -> None:
    """Store a campaign that is rated, a dataset version and a model with files."""
    from shared.campaigns import RatedRows, member

    from annotator.models import Campaign
    from annotator.rubric import CRITERIA

    texts, chance = claim_sets(REAL), random.Random(0)
    rows = RatedRows(Campaign.objects.create(slug="rated", name="Rated", overlap=ANNOTATORS))
    people = [member(rows.campaign, f"rater-{n}") for n in range(ANNOTATORS)]
    for number in range(ratings // (CANDIDATES * ANNOTATORS)):
        reference = rows.reference(number, next(texts))
        for place in range(CANDIDATES):
            candidate = rows.candidate(reference, place, next(texts))
            for user in people:
                scores = {criterion: chance.randint(0, 10) for criterion in CRITERIA}
                rows.rating(candidate, user, scores, revisions=1, comment=COMMENT)
    rows.store()
    store_files(quadruplets, model_mb, texts)


def store_files(quadruplets: int, model_mb: int, texts: Any) -> None:
    """Import a dataset and register a model whose weights are noise: a backup reads no weights."""
    from scoring.datasets.freezing.imports import import_dataset
    from scoring.files import models_directory
    from scoring.models import ModelVersion, TrainingRun
    from scoring.quadruplets import DatasetRow, SplitPlan
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
    named = {"dataset_version": version, "criterion": "feature_completeness"}
    run = TrainingRun.objects.create(**named, settings={}, status="succeeded")
    directory = models_directory() / f"model-{run.pk.hex}"
    directory.mkdir()
    weights = random.Random(5).randbytes(model_mb * 1_000_000)
    (directory / "model.safetensors").write_bytes(weights)
    digests = {"model.safetensors": hashlib.sha256(weights).hexdigest()}
    manifest = json.dumps({"sha256": digests}).encode()
    (directory / "MANIFEST.json").write_bytes(manifest)
    model = ModelVersion(
        run=run,
        criterion=run.criterion,
        directory=directory.name,
        manifest_sha256=hashlib.sha256(manifest).hexdigest(),
        dataset_sha256=version.sha256,
        code_version="benchmark",
        card={},
    )
    model.seal = seal_of(model)
    model.save()
