"""Measures freezing, importing and exporting datasets, each in a process of its own.

    benchmarks/datasets.py [--only WORDS] [--ratings 50000] [--real 20000] [--small 1000000]

On SQLite; and on PostgreSQL too where DATABASE_URL is set (scripts/with-services sets it), each
time into an empty database. Real-length texts have 3,200 characters in ten claims; a reference has
five candidates, compared each with each. Small texts have some 20 characters. CPU is the process's
own, without the database server's; growth is peak RSS less what Django with all its models took.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HEADINGS = ("what", "database", "items", "items/s", "wall s", "CPU s", "growth MB", "load before")
CANDIDATES = 5
PAIRS = CANDIDATES * (CANDIDATES - 1) // 2
CLAIMS = 10
REAL, SMALL = 3_200, 20
ANNOTATORS = 20


def main() -> None:
    """Print one table, one line a measurement, and the ratio of ten times the items."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="words of what is wanted, such as: freeze real")
    parser.add_argument("--ratings", type=int, default=50_000)
    parser.add_argument("--real", type=int, default=20_000)
    parser.add_argument("--small", type=int, default=1_000_000)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_child(*options.child)
        return
    print(f"{os.cpu_count()} cores")
    print(" | ".join(HEADINGS), flush=True)
    spent: dict[tuple[str, str, str], float] = {}
    jobs = [("freeze", "real", options.ratings)]
    jobs += [("files", "real", options.real), ("files", "tenfold", 10 * options.real)]
    jobs += [("files", "small", options.small)]
    databases = ["SQLite", *(["PostgreSQL"] if os.environ.get("DATABASE_URL") else [])]
    for job, size, items in jobs:
        for database in databases:
            if not all(word in (job, size, database) for word in options.only.split()):
                continue
            for found in in_child(job, size, items, database):
                spent[found["what"], size, database] = found["cpu"]
                print(" | ".join(cells(found, size, database)), flush=True)
    for (what, size, database), seconds in spent.items():
        if size == "tenfold" and (what, "real", database) in spent:
            ratio = seconds / spent[what, "real", database]
            print(f"{what}, {database}: {ratio:.1f} times the CPU for ten times the items")


def cells(found: dict[str, Any], size: str, database: str) -> list[str]:
    """Return one line of the table."""
    return [
        f"{found['what']} {size}",
        database,
        f"{found['items']:,}",
        f"{found['items'] / found['wall']:,.0f}",
        f"{found['wall']:.1f}",
        f"{found['cpu']:.1f}",
        f"{found['growth'] / 1e6:.0f}",
        f"{found['load']:.1f}",
    ]


def in_child(job: str, size: str, items: int, database: str) -> Iterator[dict[str, Any]]:
    """Run the measurements of one job over an empty database, a fresh process each."""
    with tempfile.TemporaryDirectory(prefix="datasets.") as data:
        env = os.environ | {"DATA_DIR": data, "PYTHONPATH": str(ROOT)}
        env |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
        if database == "PostgreSQL":
            env["DATABASE_URL"] = fresh_database(os.environ["DATABASE_URL"])
        else:
            env = {key: value for key, value in env.items() if key != "DATABASE_URL"}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=env, check=True)
        steps = ["fill", "freeze"] if job == "freeze" else ["write", "import"]
        steps += ["export patent-ce-jsonl", "export patent-ce-json", "export csv"]
        for step in steps:
            command = [sys.executable, __file__, "--child", step, size, str(items)]
            done = subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE)
            if step not in ("fill", "write"):
                yield json.loads(done.stdout.splitlines()[-1])


def fresh_database(url: str) -> str:
    """Make an empty database on the server and return its address."""
    import psycopg2

    name = f"datasets_{time.time_ns()}"
    connection = psycopg2.connect(url)
    connection.autocommit = True
    connection.cursor().execute(f"CREATE DATABASE {name}")
    connection.close()
    return url.rsplit("/", 1)[0] + "/" + name


def run_child(step: str, size: str, given: str) -> None:
    """Do one step; print seconds and bytes as JSON."""
    import django

    django.setup()
    from django.conf import settings

    items, length = int(given), SMALL if size == "small" else REAL
    path = Path(settings.DATA_DIR) / "quality.json"
    if step == "fill":
        fill(items)
    elif step == "write":
        write_file(path, items, length)
    else:
        print(json.dumps({"what": step, **measured(work_of(step, path), items)}))


def measured(work: Callable[[], object], items: int) -> dict[str, float]:
    """Carry out some work; return what it took."""
    from django.db import connection

    connection.ensure_connection()
    load = os.getloadavg()[0]
    before = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    start, cpu = time.perf_counter(), time.process_time()
    work()
    wall, spent = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"items": items, "wall": wall, "cpu": spent, "growth": peak - before, "load": load}


def work_of(step: str, path: Path) -> Callable[[], object]:
    """Return what a step does."""
    from annotator.models import Campaign
    from scoring.datasets.exports.services import export_version
    from scoring.datasets.freezing.imports import import_files
    from scoring.datasets.freezing.services import freeze_dataset
    from scoring.models import DatasetVersion
    from scoring.quadruplets import SplitPlan

    def export() -> None:
        version = DatasetVersion.objects.get()
        file_format = step.removeprefix("export ")
        with (path.parent / "export").open("wb") as file:
            file.writelines(export_version(version=version, file_format=file_format).pieces)

    if step == "freeze":
        return lambda: freeze_dataset(campaign=Campaign.objects.get())
    if step == "import":
        return lambda: import_files(name="data", paths=[path], plan=SplitPlan())
    return export


def fill(ratings: int) -> None:
    """Fill a closed campaign with references of five candidates, each rated by two of twenty."""
    from django.utils import timezone

    from annotator.models import Assignment, Campaign, Candidate, Rating, Reference, User
    from annotator.rubric import CRITERIA, overall_numerator

    campaign = Campaign.objects.create(slug="bench", name="Bench", status="closed")
    people = User.objects.bulk_create(User(username=f"user-{n}") for n in range(ANNOTATORS))
    chance, now = random.Random(2), timezone.now()
    texts = claim_sets(REAL)
    for position in range(ratings // (2 * CANDIDATES)):
        reference = Reference.objects.create(
            campaign=campaign,
            reference_id=f"r{position}",
            claims=next(texts),
            claims_sha256=f"{position:064}",
            may_train=True,
            position=position,
        )
        candidates = Candidate.objects.bulk_create(
            Candidate(
                reference=reference, campaign=campaign, candidate_id=f"c{n}", claims=next(texts)
            )
            for n in range(CANDIDATES)
        )
        pairs = [(c, person) for c in candidates for person in chance.sample(people, 2)]
        given = Assignment.objects.bulk_create(
            Assignment(
                campaign=campaign, candidate=c, annotator=p, label=str(n), status="submitted"
            )
            for n, (c, p) in enumerate(pairs)
        )
        rows = []
        for assignment in given:
            scores = {criterion: chance.randint(0, 10) for criterion in CRITERIA}
            rows.append(
                Rating(
                    assignment=assignment,
                    candidate=assignment.candidate,
                    annotator=assignment.annotator,
                    rubric_version=campaign.rubric_version,
                    submitted_at=now,
                    revised_at=now,
                    overall_numerator=overall_numerator(scores),
                    **scores,
                )
            )
        Rating.objects.bulk_create(rows)


def write_file(path: Path, items: int, length: int) -> None:
    """Write a file in the published layout: the pairs of five candidates of each reference."""
    chance = random.Random(3)
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, (reference, b, c) in enumerate(islice(triples(length), items)):
            label = {"Quality": chance.choice((1, 0, -1))}
            record = {"gold_claim": reference, "A": b, "B": c, "human_eval": label}
            file.write((",\n" if number else "\n") + json.dumps(record, ensure_ascii=False))
        file.write("\n]\n")


def triples(length: int) -> Iterator[tuple[str, str, str]]:
    texts = claim_sets(length)
    while True:
        reference, candidates = next(texts), [next(texts) for _ in range(CANDIDATES)]
        for b, c in combinations(candidates, 2):
            yield reference, b, c


def claim_sets(length: int) -> Iterator[str]:
    """Yield different claim sets of made-up words, the same ones each time."""
    chance = random.Random(1)
    words = ["".join(chance.choices("aeiounrstlmd", k=chance.randint(2, 11))) for _ in range(4_000)]
    pool = " ".join(chance.choices(words, k=200_000))
    number = 0
    while True:
        number += 1
        if length == SMALL:
            yield f"1. A cup no {number:09}"
            continue
        claims = []
        for place in range(1, CLAIMS + 1):
            start = chance.randrange(len(pool) - length)
            opening = "A device" if place == 1 else f"The device of claim {place - 1}, wherein"
            claims.append(f"{place}. {opening} {pool[start : start + length // CLAIMS - 30]}.")
        yield f"{number:09}\n" + "\n".join(claims)


if __name__ == "__main__":
    main()
