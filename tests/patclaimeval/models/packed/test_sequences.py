import pytest
import torch

from patclaimeval.models.packed.sequences import Spans, by_budget, pack


def test_sequences_lie_end_to_end() -> None:
    packed = pack([([5, 6, 7], [0, 0, 1]), ([8, 9], [0, 1])])
    assert packed.ids.tolist() == [5, 6, 7, 8, 9]
    assert packed.kinds.tolist() == [0, 0, 1, 0, 1]
    assert packed.positions.tolist() == [0, 1, 2, 0, 1]
    assert packed.spans.bounds.tolist() == [0, 3, 5]
    assert [(rows.start, rows.stop) for rows in packed.spans.slices()] == [(0, 3), (3, 5)]


def test_roberta_counts_past_padding_tokens() -> None:
    packed = pack([([0, 7, 1, 8], [0] * 4), ([1, 9], [0] * 2)], padding=1)
    assert packed.positions.tolist() == [2, 3, 1, 4, 1, 2]


def test_padded_states_hold_nothing_of_a_neighbour() -> None:
    spans = Spans.of([3, 1])
    states = torch.tensor([[1], [2], [3], [4]])
    assert spans.padded(states)[..., 0].tolist() == [
        [1, 2, 3, 0, 0, 0, 0, 0],
        [4, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert spans.real.sum(1).tolist() == [3, 1] and spans.real[:, 0].all()
    assert torch.equal(spans.unpadded(spans.padded(states)), states)
    assert spans.offsets.tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("lengths", [[], [3, 0]])
def test_sequence_without_tokens_is_refused(lengths) -> None:
    with pytest.raises(ValueError, match="without tokens"):
        Spans.of(lengths)


@pytest.mark.parametrize(
    ("budget", "groups"),
    [
        (0, [[0], [1], [2], [3]]),
        (7, [[0, 1], [2], [3]]),
        (8, [[0, 1], [2, 3]]),
        (None, [[0, 1, 2, 3]]),
    ],
)
def test_groups_hold_no_more_tokens_than_the_budget(budget, groups) -> None:
    assert list(by_budget([4, 3, 6, 2], budget)) == groups


def test_no_sequences_make_no_groups() -> None:
    assert list(by_budget([], None)) == []
    assert torch.equal(Spans.of([2]).starts, torch.tensor([0], dtype=torch.int32))
