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
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shared.hosts import databases, empty_host, in_child, parse
from shared.measuring import measured

CANDIDATES, ANNOTATORS = 3, 2
COMMENT = "The second limitation is gone, and what is left reads wider than the reference. " * 3
TAGS = (
    {"tag": "vagueness", "side": "candidate", "start": 3, "end": 8},
    {"tag": "verbose-redundancy", "side": "candidate"},
)
WORDS = ("a", "cup", "comprising", "said", "body", "wherein", "the", "handle", "is", "joined")
MARKS = 15


def main() -> None:
    """Fill, export by processes of their own, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, nargs="*", default=[20_000, 200_000])
    parser.add_argument("--annotations", type=int, default=20_000)
    options = parse(parser, STEPS)
    # The last one: PostgreSQL where there is one.
    database = databases()[-1]
    print(f"{database}: growth is peak memory above what was there before", flush=True)
    with empty_host(database) as env:
        for count in options.ratings:
            slug = f"rated-{count}"
            in_child(env, "fill", slug, count)
            for name in ("csv", "jsonl"):
                report(env, f"export {count:,} ratings, {name}", count, "export", slug, name)
        if count := options.annotations:
            path = Path(env["DATA_DIR"]) / "export.json"
            with path.open("w") as file:
                file.writelines(items(count))
            for what in (f"import {count:,} annotations", f"import {count:,} again"):
                report(env, what, count, "import", path, "stated")
            what = f"export {count:,} annotations"
            report(env, what, count, "export", "stated", "label-studio")


def report(env: dict[str, str], what: str, count: int, *how: object) -> None:
    """Have another process do it, and print what it took."""
    took = in_child(env, *how)
    print(
        f"{what:34} {took['cpu']:7.2f} s CPU {took['wall']:7.2f} s "
        f"{count / took['wall']:9,.0f} items/s {took['growth']:7.1f} MB growth "
        f"{took['peak']:7.1f} MB peak {took['bytes'] / 1e6:8.1f} MB file",
        flush=True,
    )


def export(slug: str, name: str) -> dict[str, float]:
    """Write an export to a file."""
    from annotator.exports.services import request_export, write_export
    from annotator.models import Campaign

    campaign = Campaign.objects.get(slug=slug)
    with tempfile.TemporaryDirectory() as folder:

        def work() -> dict[str, float]:
            wish = request_export(campaign=campaign, format=name)
            return {"bytes": write_export(wish, Path(folder) / "ratings")["bytes"]}

        return measured(work)


def import_annotations(path: str, slug: str) -> dict[str, float]:
    """Read a file of Label Studio and store it."""
    from annotator.formats.label_studio import read
    from annotator.imports.preferences.services import import_preferences
    from annotator.models import Campaign

    campaign, _ = Campaign.objects.get_or_create(slug=slug)

    def work() -> dict[str, float]:
        with Path(path).open("rb") as file:
            import_preferences(campaign=campaign, records=read(file))
        return {"bytes": Path(path).stat().st_size}

    return measured(work)


def fill(slug: str, count: str) -> None:
    """Store a campaign with so many ratings."""
    from shared.campaigns import RatedRows, member

    from annotator.models import Campaign
    from annotator.rubric import CRITERIA

    rows = RatedRows(Campaign.objects.create(slug=slug, name=slug, overlap=ANNOTATORS))
    people = [member(rows.campaign, f"{slug}-{n}") for n in range(ANNOTATORS)]
    chance = random.Random(slug)
    shown = {"aligned": True, "diff": True, "marks": True}
    for number in range(int(count) // (CANDIDATES * ANNOTATORS)):
        reference = rows.reference(number, f"1. A cup {number}.")
        for place in range(CANDIDATES):
            candidate = rows.candidate(reference, place, f"1. A mug {place}.")
            for user in people:
                rows.rating(
                    candidate,
                    user,
                    {criterion: chance.randint(0, 10) for criterion in CRITERIA},
                    revisions=2 if chance.random() < 0.1 else 1,
                    comment=COMMENT,
                    error_tags=TAGS,
                    shown=shown,
                )
    rows.store()


STEPS = {"fill": fill, "export": export, "import": import_annotations}


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
