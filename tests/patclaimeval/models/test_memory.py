import pytest
import torch

from patclaimeval.models.data import Quadruplet, distinct_pairs
from patclaimeval.models.errors import TrainingFailed
from patclaimeval.models.memory import (
    CPU_TOKENS,
    TokenBudget,
    device_errors_reported,
    first_budget,
    is_out_of_memory,
)

ITEMS = [
    Quadruplet("r", "ref", "b1", "c1", 1),
    Quadruplet("r", "ref", "b1", "c2", 1),  # shares a pair with the first
    Quadruplet("r", "ref", "b3", "c3", 0),
]
TOKENS = dict.fromkeys(distinct_pairs(ITEMS), 10)


@pytest.mark.parametrize(
    ("budget", "sizes"), [(50, [3]), (49, [2, 1]), (30, [2, 1]), (29, [1, 1, 1]), (1, [1, 1, 1])]
)
def test_a_batch_is_divided_in_order_into_parts_whose_distinct_pairs_fit(budget, sizes) -> None:
    parts = TokenBudget(budget).chunks(ITEMS, TOKENS)
    assert [len(part) for part in parts] == sizes
    assert [item for part in parts for item in part] == ITEMS


def test_pairs_are_divided_with_the_longest_first() -> None:
    pairs = distinct_pairs(ITEMS)
    tokens = dict(zip(pairs, (5, 30, 10, 20, 5), strict=True))
    parts = TokenBudget(30).pair_parts(pairs, tokens)
    assert [[tokens[pair] for pair in part] for part in parts] == [[30], [20, 10], [5, 5]]


def test_memory_that_runs_out_halves_the_budget_once() -> None:
    budget = TokenBudget(4096)
    assert "at most 2048 tokens" in budget.halve(7)
    assert budget.tokens == 2048
    with pytest.raises(TrainingFailed, match=r"ran out at step 9, also with 2048 tokens"):
        budget.halve(9)


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (torch.OutOfMemoryError("CUDA out of memory"), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried ..."), True),
        (RuntimeError("shapes do not match"), False),
        (ValueError("can't allocate memory"), False),
    ],
)
def test_what_says_that_memory_ran_out_is_distinguished_from_other_errors(error, is_memory) -> None:
    assert is_out_of_memory(error) is is_memory


def test_a_cpu_encodes_about_one_long_pair_at_once() -> None:
    assert first_budget("cpu") == CPU_TOKENS


def test_a_gpu_that_falls_out_is_a_sentence() -> None:
    sentence = r"The GPU stopped answering.*\(CUDA error: unspecified launch failure\)$"
    with pytest.raises(TrainingFailed, match=sentence), device_errors_reported():
        raise torch.AcceleratorError("CUDA error: unspecified launch failure\nCompile with ...")
    with pytest.raises(torch.OutOfMemoryError), device_errors_reported():
        raise torch.OutOfMemoryError
