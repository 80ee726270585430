import pytest

from patclaimeval.models.data import Quadruplet, distinct_pairs
from patclaimeval.models.encoder import (
    left_out_warning,
    load_encoder,
    measure,
    over_limit,
    refusal,
)
from patclaimeval.models.errors import TrainingCancelled

Items = list[Quadruplet]


def test_each_distinct_pair_is_measured_once(tiny_bert, quadruplets) -> None:
    encoder = load_encoder(str(tiny_bert), max_tokens=200)
    known = measure(encoder, quadruplets, lambda done, of: None)
    assert list(known) == distinct_pairs(quadruplets)
    assert all(tokens == encoder.token_count(*pair) for pair, tokens in known.items())


def test_measuring_can_be_stopped(tiny_bert, quadruplets) -> None:
    def stop(done: int, of: int) -> None:
        raise TrainingCancelled("stopped by rita")

    with pytest.raises(TrainingCancelled):
        measure(load_encoder(str(tiny_bert), max_tokens=200), quadruplets, stop)


def test_items_with_a_long_pair_are_separated_from_those_that_fit() -> None:
    items = [Quadruplet("r1", "ref", "b", "c", 1), Quadruplet("r2", "ref", "c", "d", 1)]
    tokens = {("ref", "b"): 40, ("ref", "c"): 10, ("ref", "d"): 20}
    fitting, pairs, left_out = over_limit(items, tokens, 39)
    assert fitting == items[1:]
    assert pairs == ["reference r1, candidate B of item 1 (40 tokens)"]
    assert left_out == ["reference r1, item 1"]
    assert over_limit(items, tokens, 40) == (items, [], [])


def test_more_than_ten_are_counted() -> None:
    names = [f"pair {n}" for n in range(12)]
    assert refusal(names, 40).endswith("pair 9 and 2 more.")
    assert left_out_warning(names, 40).startswith("12 items were left out")
    assert left_out_warning(names[:1], 40).startswith("1 item was left out")
