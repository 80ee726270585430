"""What leaving out a limitation does to a score: by a real encoder, and what stays untried."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from patclaimeval.claims.parsing import parse_claims
from patclaimeval.cli import main
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Pair, Quadruplet
from patclaimeval.models.occlusion import (
    MOST_PIECES,
    Counterpart,
    Occlusion,
    Piece,
    explain_by_occlusion,
    matched,
    occlude,
    pieces_of,
    without,
)
from patclaimeval.models.scorer import Scorer, load_scorer
from patclaimeval.models.training import train_model

REFERENCE = (
    "1. A dosing device comprising: a housing; a pump connected to the housing; a valve.\n"
    "2. The dosing device of claim 1, wherein the pump is fixed to the housing."
)
B = REFERENCE.replace(" a valve.", " a spring connected to the valve.")
C = "1. A dosing device comprising: a housing; a lever."


@pytest.fixture(scope="module")
def directory(
    tmp_path_factory: pytest.TempPathFactory, quadruplets: list[Quadruplet], tiny_bert: Path
) -> Path:
    found = tmp_path_factory.mktemp("occlusion") / "model"
    settings = {"method": "finetune", "encoder": str(tiny_bert), "epochs": 1, "device": "cpu"}
    train_model(
        training=quadruplets,
        validation=[],
        settings=TrainingSettings("overall_quality", **settings),
        directory=found,
        on_progress=lambda progress: None,
    )
    return found


@pytest.fixture(scope="module")
def scorer(directory: Path) -> Scorer:
    return load_scorer(directory)


def explained(scorer: Scorer, *candidates: str, **more: Any) -> Occlusion:
    texts = occlude(REFERENCE, candidates)
    scores = dict(zip(texts.pairs, scorer.score(texts.pairs), strict=True))
    return explain_by_occlusion(texts, scores, **more)


def cut(text: str) -> list[str]:
    return [text[one.start : one.end] for one in pieces_of(text).pieces]


def test_pieces_are_the_limitations_and_a_claim_of_one_goes_with_its_number() -> None:
    assert cut(REFERENCE) == [
        "A dosing device comprising: ",
        "a housing; ",
        "a pump connected to the housing; ",
        "a valve.",
        "The dosing device of claim 1, ",
        "wherein the pump is fixed to the housing.",
    ]
    labels = [one.label for one in pieces_of(REFERENCE).pieces]
    assert labels[0] == "limitation 1 of claim 1"
    assert labels[-1] == "limitation 2 of claim 2"
    single = (
        "What is claimed is:\n1. A pump; and a valve.\n2. The pump of claim 1.\n3-5. (canceled)"
    )
    assert cut(single) == ["A pump; and ", "a valve.", "2. The pump of claim 1.\n"]
    rest = without(single, pieces_of(single).pieces[-1])
    assert [claim.number for claim in parse_claims(rest)] == [None, 1, 3]


def test_every_piece_lies_in_its_claim_and_together_they_leave_the_numbers() -> None:
    rest = REFERENCE
    for piece in reversed(pieces_of(REFERENCE).pieces):
        rest = without(rest, piece)
    assert rest == "1. \n2. "


def test_a_text_of_one_limitation_loses_nothing_and_that_is_said(scorer: Scorer) -> None:
    assert pieces_of("A pump.").pieces == pieces_of("1. A pump.").pieces == ()
    assert pieces_of("").pieces == ()
    found = explained(scorer, "1. A pump.")
    assert found.notes == ("Candidate 1 is one limitation, so nothing of it was left out.",)
    both = explained(scorer, "1. A pump.", B, names=("B", "C"))
    assert both.notes == ("Candidate B is one limitation, so nothing of it was left out.",)
    assert found.tried == 6
    assert {move.of for move in found.moves} == {None}
    assert {one for move in found.moves for one in move.counterparts} == {Counterpart(1, None, 0.0)}


def test_a_text_without_numbers_has_limitations_too() -> None:
    found = pieces_of("A pump; a valve.").pieces
    assert [(one.claim, one.label) for one in found] == [
        (None, "limitation 1"),
        (None, "limitation 2"),
    ]


def listed(claims: int, elements: int) -> str:
    body = "; ".join(f"a part {number}" for number in range(elements))
    return "\n".join(f"{number}. A device with {body}." for number in range(1, claims + 1))


def test_of_many_limitations_whole_claims_are_left_out_or_the_first_of_one_claim() -> None:
    all_of_them = pieces_of(listed(4, 10))
    assert len(all_of_them.pieces) == MOST_PIECES == 40
    assert all_of_them.note == ""
    claims = pieces_of(listed(5, 10))
    assert [one.label for one in claims.pieces] == [f"claim {number}" for number in range(1, 6)]
    assert claims.note == "has 50 limitations, more than 40: whole claims were left out."
    first = pieces_of(listed(1, 50))
    assert [one.limitation for one in first.pieces] == list(range(1, 41))
    assert first.note == "has 50 limitations, more than 40: only the first 40 were tried."
    both = pieces_of(listed(50, 2))
    assert [one.label for one in both.pieces] == [f"claim {number}" for number in range(1, 41)]
    assert both.note.endswith("whole claims were left out, only the first 40.")


def test_the_pairs_scored_are_bounded(scorer: Scorer) -> None:
    most = occlude(listed(4, 10), [listed(4, 10) + ".", listed(4, 10) + ";"])
    assert len(most.pairs) <= 2 + 4 * MOST_PIECES
    assert most.pairs[:2] == [(most.reference, text) for text in most.candidates]


def test_each_change_is_what_scoring_the_shorter_text_gives(scorer: Scorer) -> None:
    found = explained(scorer, B)
    assert found.whole == scorer.score([(REFERENCE, B)])[0]
    assert found.tried == 12
    assert len(found.moves) > 6
    for move in found.moves:
        text = REFERENCE if move.of is None else B
        rest = text[: move.piece.start] + text[move.piece.end :]
        pair = (rest, B) if move.of is None else (REFERENCE, rest)
        (score,) = scorer.score([pair])
        assert move.change == pytest.approx(found.whole - score, abs=1e-9)
    sizes = [abs(move.change) for move in found.moves]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 2
    assert found.strongest == found.moves[:5]
    assert (*found.strongest, *found.rest) == found.moves


def test_of_two_candidates_the_difference_is_explained_with_the_sign_of_b(scorer: Scorer) -> None:
    found = explained(scorer, B, C, names=("B", "C"))
    whole = [(REFERENCE, B), (REFERENCE, C)]
    assert found.whole == _lead(scorer, whole)
    assert {move.of for move in found.moves} == {None, "B", "C"}
    for move in found.moves:
        rest = list(whole)
        if move.of is None:
            rest = [(without(REFERENCE, move.piece), text) for text in (B, C)]
        else:
            at = "BC".index(str(move.of))
            rest[at] = REFERENCE, without((B, C)[at], move.piece)
        assert move.change == pytest.approx(_lead(scorer, whole) - _lead(scorer, rest), abs=1e-9)
    turned = explained(scorer, C, B, names=("C", "B"))
    assert {(m.of, m.piece): -m.change for m in turned.moves} == pytest.approx(
        {(m.of, m.piece): m.change for m in found.moves}
    )


def _lead(scorer: Scorer, pairs: Sequence[Pair]) -> float:
    b, c = (scorer.score([pair])[0] for pair in pairs)
    return b - c


def test_a_limitation_is_matched_with_the_one_that_shares_its_words(scorer: Scorer) -> None:
    found = explained(scorer, B, C)
    by_place = {(move.of, move.piece.claim, move.piece.limitation): move for move in found.moves}
    pump = by_place[None, 1, 3].counterparts
    assert [(one.of, one.similarity) for one in pump] == [(1, 1.0), (2, 0.0)]
    assert matched(pump[0]) == (
        "limitation 3 of claim 1 of candidate 1, 100 % of content words alike"
    )
    assert matched(pump[1]) == "nothing in candidate 2"
    (spring,) = by_place[1, 1, 4].counterparts
    # "spring", "connected", "valve" beside "valve" alone: 2 * 1 / (3 + 1).
    assert spring == Counterpart(None, by_place[None, 1, 4].piece, 0.5)


def test_a_sentence_says_where_and_which_way_and_quotes_no_claim(scorer: Scorer) -> None:
    alone, both = explained(scorer, B), explained(scorer, B, C, names=("B", "C"))
    assert alone.title == "What moved the score of candidate 1"
    assert both.title == "What moved the score of candidate B beside candidate C"
    for found, what in ((alone, "the score"), (both, "the difference")):
        for move in found.moves:
            way = "falls" if move.change > 0 else "rises"
            name = "the reference" if move.of is None else f"candidate {move.of}"
            assert found.sentence(move) == (
                f"without {move.piece.label} of {name} {what} {way} by {abs(move.change):.3f}"
            )
        told = json.dumps(found.as_json())
        assert not [word for word in ("pump", "valve", "dosing", "spring") if word in told]


def test_the_answer_holds_positions_of_each_and_of_what_it_is_matched_with(scorer: Scorer) -> None:
    found = explained(scorer, B, C, names=("B", "C"))
    told = found.as_json()
    assert (told["candidate"], told["against"], told["difference"]) == ("B", "C", found.whole)
    assert "score" not in told
    assert told["tried"] == 15
    assert len(told["limitations"]) == len(found.moves)
    for entry, move in zip(told["limitations"], found.moves, strict=True):
        assert entry["of"] == (move.of or "reference")
        assert (entry["start"], entry["end"]) == (move.piece.start, move.piece.end)
        assert len(entry["matched"]) == (2 if move.of is None else 1)
    assert explained(scorer, B).as_json()["score"] == explained(scorer, B).whole


def test_what_moves_nothing_is_left_out_and_what_has_no_score_was_not_tried() -> None:
    texts = occlude(REFERENCE, [B])
    scores = dict.fromkeys(texts.pairs, 0.5)
    gone = texts.pairs[-1]
    moved = texts.pairs[-2]
    del scores[gone]
    scores[moved] = 0.25
    found = explain_by_occlusion(texts, scores)
    assert found.tried == 11
    (move,) = found.moves
    assert (move.of, move.change) == (1, 0.25)
    assert without(B, move.piece) == moved[1]


def test_a_text_that_would_change_its_language_keeps_its_limitation() -> None:
    mixed = "1. A pump with a valve, a spring and a lever; \u6cf5\u9600."
    candidates = [text for _, text in occlude("1. A pump; a valve.", [mixed]).pairs]
    assert "1. A pump with a valve, a spring and a lever; " in candidates
    assert "1. \u6cf5\u9600." not in candidates


def test_a_web_process_says_what_is_left_out_without_numpy() -> None:
    program = (
        "from patclaimeval.models.occlusion import occlude\n"
        "assert len(occlude('1. A pump; a valve.', ['1. A pump; a flap.']).pairs) == 5\n"
        "import sys; sys.exit(bool({'numpy', 'torch', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_command_explains_an_encoder(
    directory: Path, scorer: Scorer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {"r": REFERENCE, "b": B, "c": C}.items():
        (tmp_path / name).write_text(text)
    r, b, c = (str(tmp_path / name) for name in "rbc")
    sent = ["score", "-r", r, "-c", b, c, "--explain", "--model", str(directory)]
    assert main(sent) == 0
    out = capsys.readouterr().out
    scores = scorer.score([(REFERENCE, B), (REFERENCE, C)])
    order = (B, C) if scores[0] >= scores[1] else (C, B)
    names = (1, 2) if order[0] == B else (2, 1)
    found = explained(scorer, *order, names=names)
    assert f"{found.title}: 15 limitations were left out, one at a time" in out
    first = found.moves[0]
    assert f"{first.change:+8.3f}  {found.sentence(first)}; matched with" in out
    assert out.count("; matched with ") == len(found.moves)
    assert main([*sent, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["explanation"] == found.as_json()
    assert Piece(1, 1, 3, 31) in {move.piece for move in found.moves}
