import json
from pathlib import Path

import pytest

import patclaimeval as library
from patclaimeval import agree, score, train
from patclaimeval.agreement.correlation import tau_b
from patclaimeval.cli import main
from patclaimeval.models.data import Quadruplet, distinct_pairs
from patclaimeval.models.errors import DataError
from patclaimeval.models.prior import load_prior, prior_tie_threshold
from tests.patclaimeval.models.conftest import write_rows


def test_rows_are_trained_on_and_pairs_scored(quadruplets, tmp_path, capsys) -> None:
    write_rows(tmp_path / "rows.jsonl", quadruplets)
    pair = {"reference": quadruplets[0].reference, "candidate": quadruplets[0].b}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair), encoding="utf-8")
    model = str(tmp_path / "model")
    train = ["train", str(tmp_path / "rows.jsonl"), "--output", model]
    assert main([*train, "--criterion", "overall_quality"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["n_training"] == 15
    assert err.splitlines() == ["features: 15 of 15", "training: 1 of 1"]
    assert main(["score", model, str(tmp_path / "pairs.jsonl")]) == 0
    scored = json.loads(capsys.readouterr().out)["score"]
    assert 0 < scored < 1
    # Modules that were imported on the way must not take the functions' names.
    for _ in range(2):
        found = library.score(pair["reference"], [pair["candidate"]], model=model)
        assert found == [scored]
    assert callable(library.train)


def test_a_failure_is_one_sentence(tmp_path, capsys) -> None:
    (tmp_path / "pairs.jsonl").write_text("", encoding="utf-8")
    assert main(["score", str(tmp_path / "none"), str(tmp_path / "pairs.jsonl")]) == 1
    assert "no model directory" in capsys.readouterr().err


@pytest.fixture
def released(quadruplets: list[Quadruplet], tmp_path: Path) -> Path:
    """Rows as a release holds them: two references to test on, one to validate, two to train."""
    splits = dict.fromkeys(("dosing", "cooling"), "train") | {"lifting": "validation"}
    splits |= dict.fromkeys(("mixing", "drying"), "test")
    return write_rows(tmp_path / "released.jsonl", quadruplets, **splits)


def test_rows_of_a_release_are_learnt_from_unless_they_are_to_test_on(
    released, tmp_path, monkeypatch
) -> None:
    taken: list[dict[str, list[Quadruplet]]] = []
    monkeypatch.setattr(
        "patclaimeval.models.training.train_model", lambda **given: taken.append(given)
    )
    train(released, tmp_path / "model", criterion="overall_quality")
    train(released, tmp_path / "model", criterion="overall_quality", validation=released)
    train(taken[0]["training"], tmp_path / "model", criterion="overall_quality")
    by_file, beside, in_memory = taken
    assert {i.reference_id for i in by_file["training"]} == {"dosing", "cooling", "lifting"}
    assert by_file["validation"] == []
    assert {i.reference_id for i in beside["training"]} == {"dosing", "cooling"}
    assert len(beside["validation"]) == 15
    assert in_memory["training"] == by_file["training"]
    assert in_memory["validation"] == []


def test_agreement_is_measured_on_the_split_that_is_asked_for(released, capsys) -> None:
    for split, items in (("test", 6), ("train", 6), ("all", 15)):
        assert main(["agree", str(released), "--metric", "rouge-l", "--split", split]) == 0
        first, prior, row, majority = capsys.readouterr().out.splitlines()
        assert first.startswith(f"{items} items of ")
        assert prior.startswith("patclaimeval-0: tau-b ")
        assert row.startswith("rouge-l: tau-b ")
        assert majority.startswith("majority: tau-b undefined")


def test_candidates_are_scored_against_one_reference(tmp_path, capsys) -> None:
    for name, text in (("r", "a pump and a valve"), ("b", "a pump and a valve"), ("c", "a lever")):
        (tmp_path / name).write_text(text)
    r, b, c = (str(tmp_path / name) for name in "rbc")
    assert main(["score", "-r", r, "-c", b, c, "--metric", "rouge-1"]) == 0
    assert capsys.readouterr().out == f"1.0000  {b}\n0.2857  {c}\n"


def test_without_a_model_or_metric_patclaimeval_0_scores_for_the_criterion(
    tmp_path, capsys
) -> None:
    texts = {
        "r": "1. A pump with a valve. 2. The pump of claim 1, the valve of steel.",
        "b": "1. A pump with a valve. 2. The pump of claim 7, the valve of steel.",
        "c": "1. A lever.",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    r, *candidates = (str(tmp_path / name) for name in texts)
    found = {}
    for criterion in ("overall_quality", "logical_linkage"):
        asked = ["score", "-r", r, "-c", r, *candidates, "--json"]
        # The overall quality is what is scored where nothing else is asked for.
        asked += ["--criterion", criterion] if criterion != "overall_quality" else []
        assert main(asked) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["model"], answer["criterion"]) == ("patclaimeval-0", criterion)
        assert answer["tie_threshold"] == prior_tie_threshold(criterion)
        found[criterion] = [row["score"] for row in answer["scores"]]
        pairs = [texts["r"], texts["b"], texts["c"]]
        assert score(texts["r"], pairs, criterion=criterion) == found[criterion]
    itself, near, far = found["overall_quality"]
    assert itself > near > far
    assert found["logical_linkage"] != found["overall_quality"]


def test_either_a_model_or_a_metric_is_named() -> None:
    with pytest.raises(DataError, match="either a model directory or the name of a metric"):
        score("a pump", ["a pump"], model="m", metric="rouge-1")


def test_agreement_holds_patclaimeval_0_beside_whatever_is_named(quadruplets) -> None:
    scores = {pair: 0.5 for item in quadruplets for pair in item.pairs}
    for given in (None, scores):
        report = agree(quadruplets, given, criterion="logical_linkage", resamples=100)
        names = ["scores"] if given else []
        assert list(report["scorers"]) == [*names, "patclaimeval-0"]
    pairs = distinct_pairs(quadruplets)
    own = dict(zip(pairs, load_prior("logical_linkage").score(pairs), strict=True))
    gaps = [own[item.pairs[0]] - own[item.pairs[1]] for item in quadruplets]
    expected = tau_b(gaps, [item.y for item in quadruplets]).value
    assert report["scorers"]["patclaimeval-0"]["tau_b"]["value"] == pytest.approx(expected)


def test_the_library_takes_one_reference_or_as_many_as_candidates() -> None:
    texts = ["a pump", "a valve"]
    assert score(texts, texts, metric="rouge-1") == [1.0, 1.0]
    assert score(texts[0], texts, metric="rouge-1") == [1.0, 0.5]
    for references, candidates in ((texts, texts[:1]), (texts[0], "a valve")):
        with pytest.raises(DataError, match="one reference or as many"):
            score(references, candidates, metric="rouge-1")
    with pytest.raises(DataError, match=r"no metric called 'bertscore'.*rouge-l"):
        score(texts, texts, metric="bertscore")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("score -r NONE -c NONE --metric rouge-l", "There is no file NONE."),
        ("score -r . -c . --metric rouge-l", ". is a directory; give a file."),
        ("score -r EMPTY -c EMPTY --metric rouge-l", "EMPTY is empty."),
        ("score -r EMPTY -c EMPTY", "EMPTY is empty."),
        (
            "score -r EMPTY -c EMPTY --model DIR --metric rouge-l",
            "Give either --model DIR or --metric NAME.",
        ),
        ("score -r EMPTY --metric rouge-l", "Give -r FILE and -c FILE ..., or MODEL and PAIRS."),
        ("score MODEL EMPTY --metric rouge-l", "Give either MODEL and PAIRS, or -r and -c."),
        ("agree NONE --metric rouge-l", "There is no file NONE."),
        ("agree EMPTY --metric rouge-l", "There are no items with a label"),
        ("agree EMPTY", "There are no items with a label"),
        ("agree EMPTY --metric rouge-l --tie-threshold nan", "The tie threshold must be 0 or more"),
        ("agree EMPTY --scores WORDS", "row 1 of WORDS: score must be a number"),
        ("train NONE --output X --criterion overall_quality", "There is no file NONE."),
        ("train EMPTY --output X --criterion Quality", "criterion: give the key of one criterion"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(
    arguments, words, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("EMPTY").write_text("\n")
    Path("WORDS").write_text('{"reference": "a", "candidate": "b", "score": "high"}')
    assert main(arguments.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {words}")
    assert err.count("\n") == 1


def test_the_published_layout_is_trained_on_and_agreed_with(quadruplets, tmp_path, capsys) -> None:
    rows = [
        {"gold_claim": q.reference, "A": q.b, "B": q.c, "human_eval": {"Quality": q.y}}
        for q in quadruplets
    ]
    path = tmp_path / "published.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    model = str(tmp_path / "model")
    train = ["train", str(path), "--output", model, "--criterion", "overall_quality"]
    assert main(train) == 0
    assert main(["agree", str(path), "--metric", "rouge-l", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["checks"]["items"] == 15
    assert report["checks"]["references"] == 5


def test_several_candidates_of_a_row_are_scored_one_by_one(quadruplets, tmp_path, capsys) -> None:
    write_rows(tmp_path / "rows.jsonl", quadruplets)
    model = str(tmp_path / "model")
    train = ["train", str(tmp_path / "rows.jsonl"), "--output", model]
    main([*train, "--criterion", "overall_quality"])
    row = {"reference": quadruplets[0].reference, "candidates": [*quadruplets[0].pairs[0]]}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(row), encoding="utf-8")
    capsys.readouterr()
    assert main(["score", model, str(tmp_path / "pairs.jsonl")]) == 0
    scored = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["candidate"] for one in scored] == row["candidates"]
    assert all(0 < one["score"] < 1 for one in scored)


def test_a_criterion_that_does_not_exist_is_refused_by_every_command(
    quadruplets, tmp_path, capsys
) -> None:
    splits = {item.reference_id: "train" for item in quadruplets}
    path = str(write_rows(tmp_path / "rows.jsonl", quadruplets, **splits))
    (tmp_path / "r").write_text("a pump")
    files = ["-r", str(tmp_path / "r"), "-c", str(tmp_path / "r")]
    train = ["train", path, "--output", str(tmp_path / "m")]
    for command in (["agree", path], train, ["score", *files]):
        assert main([*command, "--criterion", "quality"]) == 2
        assert "overall_quality" in capsys.readouterr().err


@pytest.mark.parametrize("texts", [(" ", "a pump"), ("a pump", "\n")])
def test_an_empty_text_is_refused_in_memory_too(texts) -> None:
    with pytest.raises(DataError, match="is empty"):
        score(texts[0], [texts[1]], metric="rouge-l")
