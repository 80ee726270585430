import pytest
import torch

from patclaimeval.models.packed.sequences import Reach


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(("length", "window", "size"), [(50, 4, 8), (17, 8, 8), (40, 20, 7)])
def test_blocks_see_what_the_whole_mask_says(length, window, size, first) -> None:
    reach = Reach(window, first)
    seen = torch.zeros((length, length), dtype=torch.bool)
    positions = torch.arange(length)[None, :, None]
    for block in reach.blocks(length, size):
        keys = block.select(positions)[0, :, 0]
        bias = block.bias(torch.float32)
        assert bias is not None
        for row, shown in zip(block.rows, bias == 0, strict=True):
            assert not seen[row].any()
            seen[row, keys[shown]] = True
            assert int(shown.sum()) == int(seen[row].sum()), "a key is seen twice"
    assert torch.equal(seen, reach.mask(range(length), range(length)))
    expected = (torch.arange(length)[:, None] - torch.arange(length)).abs() <= window
    if first:
        expected[:, 0] = True
    assert torch.equal(seen, expected)


@pytest.mark.parametrize("reach", [Reach(), Reach(9), Reach(30, first=True)])
def test_window_that_hides_nothing_is_one_block_without_a_mask(reach) -> None:
    (block,) = reach.blocks(10, 4)
    assert (block.rows, block.keys, block.bias(torch.float32)) == (range(10), range(10), None)


def test_window_of_all_but_one_key_hides_it() -> None:
    blocks = list(Reach(8).blocks(10, 4))
    assert blocks[0].bias(torch.float32) is not None
