"""Measures freezing, importing and exporting datasets, each in a process of its own.

    benchmarks/datasets.py [--only WORDS] [--ratings 50000] [--real 20000] [--small 1000000]

On SQLite; and on PostgreSQL too where DATABASE_URL is set (scripts/with-services sets it), each
time into an empty database. Real-length texts have 3,200 characters in ten claims; a reference has
five candidates, compared each with each. Small texts have some 20 characters. CPU is the process's
own, without the database server's; growth is peak RSS less what Django with all its models took.
"""

import argparse
import json
import random
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from pathlib import Path

from shared.hosts import databases, empty_host, in_child, parse
from shared.measuring import machine, measured, print_growth, print_row

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
    options = parse(parser, {"fill": fill, "write": write_file, "measure": measure})
    print(machine())
    print_row(*HEADINGS)
    spent: dict[tuple[str, ...], float] = {}
    jobs = [("freeze", "real", options.ratings)]
    jobs += [("files", "real", options.real), ("files", "tenfold", 10 * options.real)]
    jobs += [("files", "small", options.small)]
    for job, size, items in jobs:
        for database in databases():
            if not all(word in (job, size, database) for word in options.only.split()):
                continue
            for what, took in run(job, size, items, database):
                spent[what, database, size] = took["cpu"]
                print_row(
                    f"{what} {size}",
                    database,
                    f"{items:,}",
                    f"{items / took['wall']:,.0f}",
                    *(f"{took[key]:.1f}" for key in ("wall", "cpu")),
                    f"{took['growth']:.0f}",
                    f"{took['load']:.1f}",
                )
    print_growth(spent)


def run(job: str, size: str, items: int, database: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Do one job over an empty database, each step in a fresh process; yield what each took."""
    with empty_host(database) as env:
        first, work = ("fill", "freeze") if job == "freeze" else ("write", "import")
        in_child(env, first, items, SMALL if size == "small" else REAL)
        for step in (work, "export patent-ce-jsonl", "export patent-ce-json", "export csv"):
            yield step, in_child(env, "measure", step)


def measure(step: str) -> dict[str, float]:
    """Do one step; return what it took."""
    from django.db import connection

    connection.ensure_connection()
    return measured(work_of(step))


def published_file() -> Path:
    """Return where a host's file of quadruplets lies."""
    from django.conf import settings

    return Path(settings.DATA_DIR) / "quality.json"


def work_of(step: str) -> Callable[[], None]:
    """Return what a step does."""
    from annotator.models import Campaign
    from scoring.datasets.exports.services import export_version
    from scoring.datasets.freezing.imports import import_files
    from scoring.datasets.freezing.services import freeze_dataset
    from scoring.models import DatasetVersion
    from scoring.quadruplets import SplitPlan

    path = published_file()

    def work() -> None:
        if step == "freeze":
            freeze_dataset(campaign=Campaign.objects.get())
        elif step == "import":
            import_files(name="data", paths=[path], plan=SplitPlan())
        else:
            found = export_version(
                version=DatasetVersion.objects.get(), file_format=step.removeprefix("export ")
            )
            with path.with_name("export").open("wb") as file:
                file.writelines(found.pieces)

    return work


def fill(ratings: str, length: str) -> None:
    """Fill a closed campaign with references of five candidates, each rated by two of twenty."""
    from shared.campaigns import RatedRows, member

    from annotator.models import Campaign
    from annotator.rubric import CRITERIA

    rows = RatedRows(Campaign.objects.create(slug="bench", name="Bench", status="closed"))
    people = [member(rows.campaign, f"user-{n}") for n in range(ANNOTATORS)]
    chance, texts = random.Random(2), claim_sets(int(length))
    for position in range(int(ratings) // (2 * CANDIDATES)):
        reference = rows.reference(position, next(texts), may_train=True)
        for place in range(CANDIDATES):
            candidate = rows.candidate(reference, place, next(texts))
            for person in chance.sample(people, 2):
                scores = {criterion: chance.randint(0, 10) for criterion in CRITERIA}
                rows.rating(candidate, person, scores)
    rows.store()


def write_file(items: str, length: str) -> None:
    """Write a file in the published layout: the pairs of five candidates of each reference."""
    chance = random.Random(3)
    with published_file().open("w", encoding="utf-8") as file:
        file.write("[")
        for number, (reference, b, c) in enumerate(islice(triples(int(length)), int(items))):
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
