from dataclasses import replace

import pytest

from scoring.training.runs.choices import (
    EMBEDDED,
    LONGFORMER_BASE,
    DataSizes,
    EncoderShape,
    format_duration_range,
    format_memory_range,
    longest_pieces,
    memory_bytes,
    operations,
)

SHAPE = EncoderShape(layers=2, width=10, inner=20, vocabulary=100, positions=50)
ITEMS = {"training": 9, "validation": 3, "references": 4, "candidates": 12}
DATA = DataSizes(**ITEMS, reference_words=100, candidate_words=60, longest_words=400)
PROBE, TUNED = {"method": "probe"}, {"method": "finetune", "epochs": 2, "batching": "paper"}


def test_the_embedded_encoder_and_longformer_have_their_published_sizes() -> None:
    # Counted from the weights: 22.7 million with 512 positions, and 148.7 million.
    assert EMBEDDED.parameters == pytest.approx(22.7e6 + (4096 - 512) * 384, rel=0.01)
    assert LONGFORMER_BASE.parameters == pytest.approx(148.7e6, rel=0.01)


def forward(tokens: float) -> float:
    body = 2 * (4 * 10 * 10 + 2 * 10 * 20)
    return 2 * tokens * body + 4 * 2 * 10 * tokens * tokens


def test_a_probe_reads_the_words_of_each_pair_once_whatever_the_encoder() -> None:
    assert operations(SHAPE, DATA, PROBE) == operations(EMBEDDED, DATA, PROBE) == 12 * 160


def test_fine_tuning_reads_two_pairs_an_item_there_and_back_in_each_epoch() -> None:
    pair = forward(1.35 * 160)
    assert operations(SHAPE, DATA, TUNED) == pytest.approx(2 * (3 * 18 + 3) * pair)
    by_reference = operations(SHAPE, DATA, TUNED | {"batching": "by-reference"})
    assert by_reference == pytest.approx(2 * (3 * 9 + 3) * pair)
    started = operations(SHAPE, DATA, TUNED | {"method": "probe-then-finetune"})
    assert started == pytest.approx((2 * (3 * 18 + 3) + 9) * pair)


def test_a_window_bounds_what_a_token_attends_to() -> None:
    narrow = replace(SHAPE, window=8)
    tokens = 1.35 * 160
    body = 2 * (7 * 10 * 10 + 2 * 10 * 20)
    pair = 2 * tokens * body + 4 * 2 * 10 * tokens * 8
    assert operations(narrow, DATA, TUNED) == pytest.approx(2 * (3 * 18 + 3) * pair)


def test_fine_tuning_takes_more_memory_than_a_probe_and_batches_more_than_items() -> None:
    probe, tuned = (memory_bytes(EMBEDDED, DATA, found) for found in (PROBE, TUNED))
    # A probe loads no torch and no encoder.
    assert 0.1e9 < probe[0] < probe[1] < 0.6e9 < tuned[0] < tuned[1]
    assert tuned[0] - probe[0] > 4 * 4 * EMBEDDED.parameters
    batch = memory_bytes(EMBEDDED, DATA, TUNED | {"batching": "by-reference", "batch_size": 8})
    assert batch[0] == tuned[0] and batch[1] > tuned[1]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.2, 0.4, "about 1 second"),
        (5, 20, "5 to 20 seconds"),
        (44.0, 58.0, "40 to 60 seconds"),
        (70, 400, "70 seconds to 7 minutes"),
        (118, 121, "about 2 minutes"),
        (2000, 40_000, "30 minutes to 11 hours"),
        (21, 109, "20 seconds to 2 minutes"),
        (0.4, 5, "1 to 5 seconds"),
    ],
)
def test_a_range_is_written_without_false_precision(low, high, words) -> None:
    assert format_duration_range(low, high) == words
    assert format_memory_range(1.04e9, 2.28e9) == "1.0 to 2.3 GB"


def test_the_longest_pair_is_in_tokens() -> None:
    assert longest_pieces(DATA) == pytest.approx(480)
