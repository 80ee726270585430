"""Measures export_ratings, and the import of a Label Studio export: CPU time and peak memory.

    benchmarks/rating_exports.py [--ratings 20000 200000] [--annotations 20000]

Runs on a fresh database (SQLite, or the PostgreSQL that DATABASE_URL names). Each export runs in a
process of its own, on a campaign with two ratings of each of three candidates a reference, with a
comment and two tags, one of ten revised. Growth is the peak of resident memory above what the
process had before it began; CPU time leaves out PostgreSQL. Annotations have texts and marks about
as long as PatentEval's are: 5 kB an item.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]
DATABASE = "BENCHMARK_DATABASE"
CANDIDATES, ANNOTATORS, BATCH = 3, 2, 500
COMMENT = "The second limitation is gone, and what is left reads wider than the reference. " * 3
WORDS = ("a", "cup", "comprising", "said", "body", "wherein", "the", "handle", "is", "joined")
MARKS = 15


def main() -> None:
    """Fill, export by processes of their own, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, nargs="*", default=[20_000, 200_000])
    parser.add_argument("--annotations", type=int, default=20_000)
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if options.measure:
        measured(*options.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        import django

        django.setup()
        from django.db import connection
        from django.test.utils import setup_databases, teardown_databases

        # A database of its own beside the one that DATABASE_URL names; that one is not touched.
        old = setup_databases(verbosity=0, interactive=False)
        os.environ[DATABASE] = str(connection.settings_dict["NAME"])
        print(f"{connection.vendor}: growth is peak memory above what was there before", flush=True)
        try:
            for count in options.ratings:
                fill(f"rated-{count}", count)
                for name in ("csv", "jsonl"):
                    report(
                        f"export {count:,} ratings, {name}", count, "export", f"rated-{count}", name
                    )
            if options.annotations:
                annotations(options.annotations, Path(folder) / "export.json")
        finally:
            teardown_databases(old, verbosity=0)


def annotations(count: int, path: Path) -> None:
    """Import an export of Label Studio, and give it back."""
    from annotator.campaigns.services import create_campaign

    with path.open("w") as file:
        file.writelines(items(count))
    create_campaign(slug="stated")
    report(f"import {count:,} annotations", count, "import", str(path), "stated")
    report(f"import {count:,} again", count, "import", str(path), "stated")
    report(f"export {count:,} annotations", count, "export", "stated", "label-studio")


def report(what: str, count: int, *how: str) -> None:
    """Have another process do it, and print what it took."""
    own = [sys.executable, str(Path(__file__)), "--measure", *how]
    found = json.loads(subprocess.run(own, check=True, capture_output=True, text=True).stdout)
    print(
        f"{what:34} {found['cpu']:7.2f} s CPU {found['wall']:7.2f} s "
        f"{count / found['wall']:9,.0f} items/s {found['growth']:7.1f} MB growth "
        f"{found['peak']:7.1f} MB peak {found['bytes'] / 1e6:8.1f} MB file",
        flush=True,
    )


def measured(kind: str, *how: str) -> None:
    """Carry one out in this process and print what it took as JSON."""
    from config import settings

    settings.DATABASES["default"]["NAME"] = os.environ[DATABASE]
    import django

    django.setup()
    do = {"export": export, "import": import_annotations}[kind](*how)
    # The peak so far is forgotten: it is that of the parent, and of what was imported.
    Path("/proc/self/clear_refs").write_text("5")
    before, cpu, wall = memory_mb("VmRSS"), time.process_time(), time.monotonic()
    size = do()
    took = {"cpu": time.process_time() - cpu, "wall": time.monotonic() - wall, "bytes": size}
    peak = memory_mb("VmHWM")
    print(json.dumps(took | {"growth": peak - before, "peak": peak}))


def export(slug: str, name: str) -> Any:
    """Return what writes an export to a file, once it is warm."""
    from annotator.exports.services import request_export, write_export
    from annotator.models import Campaign

    campaign = Campaign.objects.get(slug=slug)
    folder = tempfile.mkdtemp()

    def do() -> int:
        target = Path(folder) / "ratings"
        wish = request_export(campaign=campaign, format=name)
        size = write_export(wish, target)["bytes"]
        for path in Path(folder).iterdir():
            path.unlink()
        Path(folder).rmdir()
        return int(size)

    return do


def import_annotations(path: str, slug: str) -> Any:
    """Return what reads a file and stores it."""
    from annotator.formats.label_studio import read
    from annotator.imports.preferences.services import import_preferences
    from annotator.models import Campaign

    campaign = Campaign.objects.get(slug=slug)

    def do() -> int:
        with Path(path).open("rb") as file:
            import_preferences(campaign=campaign, records=read(file))
        return Path(path).stat().st_size

    return do


def memory_mb(name: str) -> float:
    """Return what the system reports of this process's memory: VmRSS now, VmHWM at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def fill(slug: str, count: int) -> None:
    """Store a campaign with so many ratings, some thousand rows at a time."""
    from annotator.models import Campaign, Reference, User

    campaign = Campaign.objects.create(slug=slug, name=slug, overlap=ANNOTATORS)
    people = [User.objects.create(username=f"{slug}-{n}") for n in range(ANNOTATORS)]
    total = count // (CANDIDATES * ANNOTATORS)
    for start in range(0, total, BATCH):
        numbers = range(start, min(start + BATCH, total))
        references = [
            Reference(
                campaign=campaign,
                reference_id=f"r{number:07}",
                claims=f"1. A cup {number}.",
                claims_sha256=f"{number:064}",
                position=number,
            )
            for number in numbers
        ]
        Reference.objects.bulk_create(references)
        rate(campaign, references, people)


def rate(campaign: Any, references: list[Any], people: list[Any]) -> None:
    """Give each of the references its candidates, and each of those a rating by everybody."""
    from django.utils import timezone

    from annotator.models import Assignment, Candidate, Rating, RatingRevision
    from annotator.rubric import CRITERIA, overall_numerator

    candidates = [
        Candidate(
            reference=reference,
            campaign=campaign,
            candidate_id=f"c{number}",
            claims=f"1. A mug {number}.",
            claims_sha256=f"{number:064}",
        )
        for reference in references
        for number in range(CANDIDATES)
    ]
    Candidate.objects.bulk_create(candidates, batch_size=BATCH)
    now, chance = timezone.now(), random.Random(references[0].reference_id)
    given, ratings, revisions = [], [], []
    for candidate in candidates:
        for user in people:
            named = {"campaign": campaign, "annotator": user, "candidate": candidate}
            given.append(Assignment(**named, label="Candidate", status="submitted"))
            scores = {criterion: chance.randint(0, 10) for criterion in CRITERIA}
            tag = {"tag": "vagueness", "side": "candidate", "start": 3, "end": 8}
            values = dict(
                **scores,
                overall_numerator=overall_numerator(scores),
                comment=COMMENT,
                error_tags=[tag, {"tag": "verbose-redundancy", "side": "candidate"}],
                shown={"aligned": True, "diff": True, "marks": True},
            )
            version = 2 if chance.random() < 0.1 else 1
            ratings.append(
                Rating(
                    assignment=given[-1],
                    candidate=candidate,
                    annotator=user,
                    rubric_version="1",
                    version=version,
                    submitted_at=now,
                    revised_at=now,
                    **values,
                )
            )
            revisions += [
                RatingRevision(rating=ratings[-1], number=n + 1, made_at=now, **values)
                for n in range(version)
            ]
    for model, rows in ((Assignment, given), (Rating, ratings), (RatingRevision, revisions)):
        model.objects.bulk_create(rows, batch_size=BATCH)


def items(count: int) -> Iterator[str]:
    """Yield an export of Label Studio: two annotators on each of `count` / 2 pairs."""
    chance = random.Random(7)
    yield "[\n"
    for pair in range(count // 2):
        texts = {
            name: f"{2 if name[0] == 'o' else 1}. {pair} {' '.join(chance.choices(WORDS, k=k))}."
            for name, k in (("input_claim", 400), ("output1", 110), ("output2", 110))
        }
        for person in (1, 2):
            number = 2 * pair + person
            last = number == count // 2 * 2
            yield json.dumps(annotation(number, person, texts, chance)) + ("\n" if last else ",\n")
    yield "]\n"


def annotation(number: int, person: int, texts: dict[str, str], chance: random.Random) -> Any:
    """Return one item, with words that the authors' program had coloured."""
    marks = {}
    for side in "12":
        text = texts[f"output{side}"]
        words = list(places(text))[:MARKS]
        marks[f"mark{side}"] = [
            {"end": at + len(word), "text": word, "start": at, "labels": ["UNK"]}
            for at, word in words
        ]
    return {
        "domain": "G",
        "length1": 111,
        **texts,
        "id": number,
        **marks,
        "comparison": [{"selected": chance.choice(["left", "right"])}],
        "dimension1": "Clarity - Vagueness",
        "annotator": person,
        "annotation_id": number,
        "created_at": "2024-03-22T16:32:50.119106Z",
        "updated_at": "2024-03-31T23:38:22.337204Z",
        "lead_time": chance.random() * 1000,
        "agreement": 50.0,
    }


def places(text: str) -> Iterator[tuple[int, str]]:
    """Yield each word of a text with where it begins."""
    at = 0
    for word in text.split(" "):
        yield at, word
        at += len(word) + 1


if __name__ == "__main__":
    main()
