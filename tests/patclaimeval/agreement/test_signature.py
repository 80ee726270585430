"""A signature names everything that moves a number, on one line."""

from dataclasses import replace

import numpy

from patclaimeval.agreement.items import Question, question_sha256, signature

QUESTION = Question("overall_quality", "demo@2", "ab12", code_version="0.1")
LINE = signature(QUESTION, 95, 10, {"bleu-1": "sacrebleu 2"})


def test_a_signature_names_data_scorer_versions_and_settings() -> None:
    for part in (
        "criterion:overall_quality|data:demo@2|sha256:ab12|split:test|n:95|references:10",
        "tie:0.0001|resamples:1000|seed:0",
        "code:0.1",
        f"numpy:{numpy.__version__}",
        "scorers:bleu-1 = sacrebleu 2",
    ):
        assert part in LINE


def test_the_same_question_gives_the_same_signature_and_another_one_another() -> None:
    assert signature(QUESTION, 95, 10, {"bleu-1": "sacrebleu 2"}) == LINE
    for changed in (
        signature(replace(QUESTION, seed=1), 95, 10, {"bleu-1": "sacrebleu 2"}),
        signature(replace(QUESTION, tie_threshold=1e-6), 95, 10, {"bleu-1": "sacrebleu 2"}),
        signature(QUESTION, 95, 10, {"bleu-1": "sacrebleu 3"}),
    ):
        assert changed != LINE


def test_unknown_fields_are_left_out_and_separators_stand_in_no_value() -> None:
    line = signature(Question("c", "a|b\nc"), 1, 1, {})
    assert "data:a/b c|split" in line
    assert "sha256" not in line
    assert "\n" not in line


def test_a_question_has_another_digest_with_whatever_moves_its_answer() -> None:
    versions = {"bleu-1": "sacrebleu 2", "meteor": "1"}
    names = ["bleu-1", "meteor"]
    first = question_sha256(QUESTION, "7", names, versions)
    assert len(first) == 64
    # The order of a mapping says nothing, that of the scorers does.
    turned = dict(reversed(versions.items()))
    assert question_sha256(QUESTION, "7", names, turned) == first
    others = [
        question_sha256(QUESTION, "8", names, versions),
        question_sha256(QUESTION, "7", names[::-1], versions),
        question_sha256(QUESTION, "7", names[:1], versions),
        question_sha256(QUESTION, "7", names, versions | {"meteor": "2"}),
        question_sha256(replace(QUESTION, systems_shown=True), "7", names, versions),
        question_sha256(replace(QUESTION, resamples=200), "7", names, versions),
        question_sha256(replace(QUESTION, code_version="0.2"), "7", names, versions),
    ]
    assert len({first, *others}) == len(others) + 1
