"""What is said of a linear model's scores: sums, sentences, and what is never in them."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from patclaimeval.cli import main
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.explanation import (
    AVERAGE,
    GROUP_LABELS,
    SENTENCES,
    SHOWN,
    Explanation,
    explain_difference,
    explain_score,
    explain_scores,
)
from patclaimeval.models.features import FEATURES, GROUPS
from patclaimeval.models.prior import PRIOR, load_prior
from patclaimeval.models.ridge import fit
from patclaimeval.models.ridge_training import compare
from patclaimeval.models.scorer import LinearScorer

REFERENCE = (
    "1. A pump comprising a housing, a rotor and a valve in the housing.\n"
    "2. The pump of claim 1, wherein the valve is made of steel.\n"
    "3. The pump of claim 2, wherein the rotor has substantially three blades."
)
RENAMED = REFERENCE.replace("the valve", "the flap").replace("claim 2", "claim 7")
SHORTER = "\n".join(REFERENCE.splitlines()[:2])
"""Without blade, rotor in claim 3, three, and the vague word."""


def logit(score: float) -> float:
    return math.log(score / (1 - score))


@pytest.fixture(scope="module")
def trained(quadruplets: list[Quadruplet]) -> LinearScorer:
    """A model in which every group counts, some of them against the candidate."""
    data = compare(quadruplets, lambda done, of: None)
    prior = {group: (-1.0) ** place for place, group in enumerate(GROUPS)}
    return LinearScorer(fit(data, prior, 1.0), {"tie_threshold": 0.0})


def difference(scorer: LinearScorer, b: str, c: str) -> Explanation:
    return explain_difference(*scorer.parts([(REFERENCE, b), (REFERENCE, c)]))


def check_sums(found: Explanation, expected: float) -> None:
    assert found.total == pytest.approx(expected, abs=1e-12)
    for numbers in (
        [number for _, number in found.groups],
        [reason.contribution for reason in found.reasons],
        [reason.contribution for reason in (*found.strongest, *found.rest)],
    ):
        assert math.fsum(numbers) == pytest.approx(expected, abs=1e-12)
        assert 0.0 not in numbers
    for group, number in found.groups:
        own = [reason.contribution for reason in found.reasons if reason.group == group]
        assert number == pytest.approx(math.fsum(own), abs=1e-12)


@pytest.mark.parametrize("criterion", list(PRIOR))
def test_contributions_of_two_candidates_sum_to_the_difference_of_their_logits(
    criterion: str,
) -> None:
    scorer = load_prior(criterion)
    s_b, s_c = scorer.score([(REFERENCE, RENAMED), (REFERENCE, SHORTER)])
    found = difference(scorer, RENAMED, SHORTER)
    assert abs(found.total) > 1e-3
    check_sums(found, logit(s_b) - logit(s_c))
    check_sums(difference(scorer, SHORTER, RENAMED), logit(s_c) - logit(s_b))


def test_of_a_trained_model_they_sum_too_and_of_a_candidate_alone_to_its_logit(
    trained: LinearScorer, quadruplets: list[Quadruplet]
) -> None:
    for item in quadruplets:
        pairs = list(item.pairs)
        parts, scores = trained.parts(pairs), trained.score(pairs)
        check_sums(explain_difference(*parts), logit(scores[0]) - logit(scores[1]))
        check_sums(explain_score(parts[0]), logit(scores[0]))


def test_beside_the_average_a_feature_stands_with_its_mean_and_the_average_adds_nothing() -> None:
    scorer = load_prior("overall_quality")
    assert scorer.model.contributions(scorer.model.centre[None]) == pytest.approx(
        np.zeros((1, len(FEATURES)))
    )
    (parts,) = scorer.parts([(REFERENCE, SHORTER)])
    found = explain_score(parts, 4)
    assert (found.candidate, found.against) == (4, None)
    assert found.title == "Why candidate 4 scores as it does beside the average pair"
    lost = next(one for one in found.reasons if one.feature == "terms_lost")
    mean = math.exp(-scorer.model.centre[FEATURES.index("terms_lost")]) - 1
    assert lost.sentence == (
        "fewer content words of the reference are missing in candidate 4: "
        f"2 in candidate 4, about {mean:.1f} in {AVERAGE}"
    )
    assert lost.contribution > 0


def test_the_strongest_come_first_and_those_beyond_five_are_the_rest() -> None:
    found = difference(load_prior("overall_quality"), RENAMED, SHORTER)
    for sizes in (
        [abs(one.contribution) for one in found.reasons],
        [abs(number) for _, number in found.groups],
    ):
        assert sizes == sorted(sizes, reverse=True)
        assert len(set(sizes)) > 2
    assert len(found.strongest) == SHOWN == 5
    assert found.rest == found.reasons[5:] != ()
    assert [label for label, _ in found.labelled_groups] == [
        GROUP_LABELS[group] for group, _ in found.groups
    ]


def test_each_feature_has_two_sentences_of_its_own_in_its_group() -> None:
    assert list(SENTENCES) == list(FEATURES)
    assert {name: wording.group for name, wording in SENTENCES.items()} == {
        name: group for group, names in GROUPS.items() for name in names
    }
    assert set(GROUP_LABELS) == set(GROUPS)
    texts = [text for wording in SENTENCES.values() for text in (wording.more, wording.less)]
    assert len(set(texts)) == 2 * len(FEATURES)
    assert all("{B}" in text and not set("[|]") & set(text) for text in texts)


def told(b: str, c: str, feature: str) -> str:
    """Return the sentence of a feature, by a model in which each counts one."""
    scorer = load_prior("overall_quality")
    values = [
        dict(zip(FEATURES, scorer._features([(REFERENCE, text)])[0].tolist(), strict=True))
        for text in (b, c)
    ]
    parts = [{name: (value, 0.0, value) for name, value in each.items()} for each in values]
    found = [one for one in explain_difference(*parts).reasons if one.feature == feature]
    return found[0].sentence if found else ""


@pytest.mark.parametrize(
    ("feature", "b", "c", "sentence"),
    [
        (
            *("terms_lost", REFERENCE, SHORTER),
            "fewer content words of the reference are missing in candidate 1: "
            "0 in candidate 1, 2 in candidate 2",
        ),
        (
            *("claims_matched_f", SHORTER, REFERENCE),
            "a smaller share of the claims of the reference and candidate 1 are counterparts: "
            "80.0 % in candidate 1, 100.0 % in candidate 2",
        ),
        (
            *("claim_count", SHORTER, REFERENCE),
            "candidate 1 is farther from the reference's number of claims: "
            "a factor of 1.50 in candidate 1, a factor of 1.00 in candidate 2",
        ),
        (
            *("citations_unknown", RENAMED, REFERENCE),
            "more references to claims that are missing in candidate 1: "
            "1 in candidate 1, 0 in candidate 2",
        ),
        (
            *("citations_same", RENAMED, REFERENCE),
            "fewer claims of candidate 1 refer to the claims that the reference has them refer to: "
            "66.7 % in candidate 1, 100.0 % in candidate 2",
        ),
        (
            *("numbers_new", RENAMED, REFERENCE),
            "more of the numbers in candidate 1 are not in the reference: "
            "25.0 % in candidate 1, 0.0 % in candidate 2",
        ),
        (
            *("vague_count", SHORTER, REFERENCE),
            "fewer vague words in candidate 1: 0 in candidate 1, 1 in candidate 2",
        ),
        (
            *("vague_share", SHORTER, REFERENCE),
            "a smaller part of candidate 1 is vague words: "
            "0.00 % in candidate 1, 2.70 % in candidate 2",
        ),
        (
            *("antecedents_missing", RENAMED, REFERENCE),
            "more definite phrases of candidate 1 lack antecedent basis: "
            "0.33 a claim in candidate 1, 0.00 a claim in candidate 2",
        ),
        (
            *("dependent_share", SHORTER, REFERENCE),
            "candidate 1 is farther from the reference's share of dependent claims: "
            "16.7 points in candidate 1, 0.0 points in candidate 2",
        ),
        ("terms_lost", SHORTER, SHORTER, ""),
    ],
)
def test_values_are_written_as_a_reader_counts_them(
    feature: str, b: str, c: str, sentence: str
) -> None:
    assert told(b, c, feature) == sentence


def test_nothing_of_a_claim_is_in_a_sentence(trained: LinearScorer) -> None:
    # Each long word of the claims is changed to one that no sentence has.
    texts = [
        re.sub(r"\b(?!claim\b)[a-z]{4,}", lambda found: f"q{found[0]}q", text)
        for text in (REFERENCE, RENAMED, SHORTER)
    ]
    words = {word for text in texts for word in re.findall(r"[a-z]{6,}", text)}
    found = explain_difference(*trained.parts([(texts[0], text) for text in texts[1:]]))
    assert len(found.reasons) > 10
    said = set(re.findall(r"[a-z]{4,}", json.dumps(found.as_json())))
    assert not words & said
    assert "candidate" in said


def test_of_several_the_best_stands_beside_the_next_and_one_alone_beside_the_average() -> None:
    scorer = load_prior("overall_quality")
    texts = ["1. A lever.", SHORTER, REFERENCE]
    pairs = [(REFERENCE, text) for text in texts]
    scores, parts = scorer.score(pairs), scorer.parts(pairs)
    found = explain_scores(scores, parts)
    assert (found.candidate, found.against) == (3, 2)
    assert found == explain_difference(parts[2], parts[1], 3, 2)
    assert explain_scores(scores[:1], parts[:1]) == explain_score(parts[0])
    equal = explain_scores([0.5, 0.5], [parts[0], parts[0]])
    assert (equal.candidate, equal.against, equal.total, equal.reasons) == (1, 2, 0.0, ())


def test_parts_of_two_models_are_not_compared() -> None:
    (b,) = load_prior("overall_quality").parts([(REFERENCE, RENAMED)])
    (c,) = load_prior("logical_linkage").parts([(REFERENCE, RENAMED)])
    with pytest.raises(ValueError, match="one model"):
        explain_difference(b, c)


def test_no_pairs_have_no_parts_and_what_counts_nothing_is_no_part() -> None:
    scorer = load_prior("logical_linkage")
    assert scorer.parts([]) == []
    (parts,) = scorer.parts([(REFERENCE, SHORTER)])
    assert set(parts) == {
        name for group in PRIOR["logical_linkage"] for name in GROUPS[group]
    }  # fmt: skip


def test_a_web_process_explains_without_numpy() -> None:
    program = (
        "from patclaimeval.models.explanation import explain_score\n"
        "explain_score({'terms_lost': [-1.0, 0.0, -0.5]}).as_json()\n"
        "import sys; sys.exit(bool({'numpy', 'torch', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"r": REFERENCE, "b": RENAMED, "c": SHORTER}.items():
        Path(name).write_text(text)


def test_the_command_explains_the_best_beside_the_next(
    files: None, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = ["score", "-r", "r", "-c", "b", "c", "--explain", "--criterion", "logical_linkage"]
    assert main(sent) == 0
    out = capsys.readouterr().out
    assert "Why candidate 2 scores as it does beside candidate 1; in log-odds:" in out
    found = difference(load_prior("logical_linkage"), SHORTER, RENAMED)
    assert f"{found.total:+8.3f}  together\n" in out
    assert "  fewer references to claims that are missing in candidate 2: 0 in candidate 2" in out
    assert out.count(" in candidate 2,") == len(found.reasons)
    assert main([*sent, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["explanation"]["log_odds"] == pytest.approx(found.total)
    assert answer["explanation"]["candidate"] == 2
    assert answer["explanation"]["against"] == 1
    assert len(answer["explanation"]["reasons"]) == len(found.reasons)
    assert main(sent[:-3]) == 0
    assert main(["score", "-r", "r", "-c", "b", "--json"]) == 0
    assert "explanation" not in json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_metric_is_not_explained(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-r", "r", "-c", "b", "--explain", "--metric", "rouge-l"]) == 2
    assert "Only models can be explained" in capsys.readouterr().err
    assert main(["score", "MODEL", "r", "--explain"]) == 2
    assert "--explain takes -r FILE and -c FILE" in capsys.readouterr().err
