import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from patclaimeval.models.prior import load_prior, prior_tie_threshold
from patclaimeval.rubric import ALL_CRITERIA
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion
from tests.scoring.management import commands
from tests.scoring.model_builders import CRITERION, know, make_model, promote, train_tiny

pytestmark = pytest.mark.django_db

document = partial(commands.document, "score_claims")
refusal = partial(commands.refusal, "score_claims")


@pytest.fixture
def model(version: DatasetVersion, tiny_encoder: Path) -> ModelVersion:
    return train_tiny(version, tiny_encoder)


def files(directory: Path, *texts: str) -> list[str]:
    found = []
    for number, text in enumerate(texts):
        path = directory / f"{number}.txt"
        path.write_text(text)
        found.append(str(path))
    return found


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_candidates_are_scored_and_the_same_pairs_need_the_model_no_more(model, tmp_path) -> None:
    reference, good, poor = files(
        tmp_path,
        "1. A machine0 device comprising a housing, a pump.",
        "1. A machine0 device comprising a housing.",
        "1. A lever.",
    )
    given = ("--model", str(model.pk), "--reference", reference, "--candidate", good, poor)
    found = document(*given)
    assert found["model"] == str(model.pk)
    assert found["criterion"] == CRITERION
    assert found["tie_threshold"] == model.card["tie_threshold"]
    assert found["validation"] == model.card["validation"]
    assert [row["candidate"] for row in found["scores"]] == [good, poor]
    assert all(0 < row["score"] < 1 for row in found["scores"])
    (scoring_files.models_directory() / model.directory / "model.safetensors").unlink()
    assert document(*given) == found
    words, _ = commands.run("score_claims", *given)
    assert f"{found['scores'][0]['score']:.4f}  {good}" in words
    assert "are a tie" in words
    other = files(tmp_path, "1. A spring.")[0]
    assert "lacks model.safetensors" in refusal(*given[:4], "--candidate", other)


def test_an_encoder_and_a_linear_model_are_explained(model, tmp_path) -> None:
    texts = [
        "1. A machine0 device comprising a housing; a pump; a valve.",
        "1. A machine0 device comprising a housing; a lever.",
        "1. A housing; a motor.",
    ]
    reference, *candidates = files(tmp_path, *texts)
    given = ("--reference", reference, "--candidate", *candidates)
    for name in (str(model.pk), "logical_linkage"):
        plain = document("--model", name, *given)
        assert "explanation" not in plain
        found = document("--model", name, *given, "--explain")
        explained = found.pop("explanation")
        assert found == plain
        said, _ = commands.run("score_claims", "--model", name, *given, "--explain")
        scores = [row["score"] for row in found["scores"]]
        best = scores.index(max(scores))
        assert (explained["candidate"], explained["against"]) == (best + 1, 2 - best)
        if name == str(model.pk):
            assert explained["difference"] == pytest.approx(abs(scores[0] - scores[1]))
            assert [one["sentence"] in said for one in explained["limitations"]].count(True) > 3
        else:
            assert explained["reasons"][0]["sentence"] in said


def test_a_criterion_is_scored_by_its_promoted_model_or_else_by_patclaimeval_0(
    version, cast, tmp_path
) -> None:
    texts = ("1. A machine0 device comprising a housing, a pump.", "1. A machine0 device.")
    reference, candidate = files(tmp_path, *texts)
    pair = ("--reference", reference, "--candidate", candidate)
    for criterion in ALL_CRITERIA:
        found = document("--model", criterion, *pair)
        (score,) = load_prior(criterion).score([texts])
        assert found == {
            "model": "patclaimeval-0",
            "criterion": criterion,
            "tie_threshold": prior_tie_threshold(criterion),
            "validation": None,
            "scores": [{"candidate": candidate, "score": score}],
        }
    words, _ = commands.run("score_claims", "--model", CRITERION, *pair)
    assert f"{load_prior(CRITERION).score([texts])[0]:.4f}  {candidate}" in words
    promoted = make_model(version)
    promote(promoted, cast.ada)
    know(promoted, texts[0], {texts[1]: 0.625})
    found = document("--model", CRITERION, *pair)
    assert (found["model"], found["scores"][0]["score"]) == (str(promoted.pk), 0.625)


def test_a_stream_of_pairs_gives_the_scores_of_single_pairs_in_its_order(
    model, tmp_path, capsysbinary
) -> None:
    reference, pump, lever = "1. A housing, a pump.", "1. A pump.", "1. A lever."
    given = lines(
        tmp_path / "pairs.jsonl",
        {"id": "one", "reference": reference, "candidate": lever},
        {"reference": reference, "candidates": [pump, lever]},
    )
    names = files(tmp_path, reference, pump, lever)
    call_command("score_claims", "--model", str(model.pk), "--jsonl", str(given))
    rows = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    pair = ("--reference", names[0], "--candidate", *names[1:])
    pump_score, lever_score = (
        row["score"] for row in document("--model", str(model.pk), *pair)["scores"]
    )
    assert [row["score"] for row in rows] == [lever_score, pump_score, lever_score]
    assert rows[0]["id"] == "one"
    assert {row["model"] for row in rows} == {str(model.pk)}
    target = tmp_path / "scores.jsonl"
    written = document("--model", str(model.pk), "--jsonl", str(given), "--output", str(target))
    assert written["pairs"] == 3
    assert [json.loads(line) for line in target.read_text().splitlines()] == rows


def test_lines_without_a_score_end_the_command_with_1_after_all_others_are_written(
    model, tmp_path
) -> None:
    given = lines(tmp_path / "pairs.jsonl", {"reference": "secretly"}, {"candidate": "x"}, 7)
    with given.open("a") as file:
        file.write(json.dumps({"reference": "1. A pump.", "candidate": "1. A lever."}))
    target = tmp_path / "scores.jsonl"
    line = refusal("--model", str(model.pk), "--jsonl", str(given), "--output", str(target))
    assert line.startswith("1 pair is scored and 3 are not")
    assert "line 1: " in line
    assert "secretly" not in line
    rows = [json.loads(row) for row in target.read_text().splitlines()]
    assert ["error" in row for row in rows] == [True, True, True, False]


def test_what_cannot_be_scored_is_refused_in_a_line(version, tmp_path) -> None:
    model = str(make_model(version).pk)
    (good,) = files(tmp_path, "1. A pump.")
    empty, wrong = tmp_path / "empty", tmp_path / "latin"
    empty.write_text(" \n")
    wrong.write_bytes(b"1. A caf\xe9.")
    missing = str(tmp_path / "missing")
    pair = ("--model", model, "--reference", good, "--candidate")
    assert "no model" in refusal("--model", "7", *pair[2:], good)
    assert missing in refusal(*pair, missing)
    assert "is empty" in refusal(*pair, str(empty))
    assert "is not UTF-8: the byte at place 9" in refusal(*pair, str(wrong))
    assert "is a directory" in refusal(*pair, str(tmp_path))
    assert "The model directory lacks" in refusal(*pair, good)
    assert missing in refusal("--model", model, "--jsonl", missing)
    assert "name a file" in refusal("--model", model, "--jsonl", good, "--json")
    assert "no folder" in refusal("--model", model, "--jsonl", good, "--output", f"{missing}/x")
    folder = str(tmp_path)
    assert "is a folder" in refusal("--model", model, "--jsonl", good, "--output", folder)
    assert "is a directory" in refusal("--model", model, "--jsonl", folder)


def test_a_file_without_any_pair_says_that_none_is_scored(data_directory, tmp_path) -> None:
    given, target = tmp_path / "words", str(tmp_path / "scores.jsonl")
    given.write_text("hello\n")
    line = refusal("--model", "overall_quality", "--jsonl", str(given), "--output", target)
    assert line.startswith("0 pairs are scored and 1 is not")


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "--reference a", "--candidate a", "--reference a --jsonl b"),
        *("--reference a --candidate a --jsonl b", "--jsonl b --explain"),
    ],
)
def test_either_files_or_lines_are_given(arguments) -> None:
    with pytest.raises(CommandError) as caught:
        document("--model", "7", *arguments.split())
    assert caught.value.returncode == 2
