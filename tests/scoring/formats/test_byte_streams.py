import gzip
import random

from hypothesis import given
from hypothesis import strategies as st

from scoring.files import BLOCK_BYTES, gzipped, in_blocks

pieces = st.lists(st.binary(max_size=50), max_size=50)


@given(pieces)
def test_nothing_is_lost_on_the_way(given_pieces) -> None:
    content = b"".join(given_pieces)
    assert b"".join(in_blocks(given_pieces)) == content
    assert gzip.decompress(b"".join(gzipped(given_pieces))) == content


def test_blocks_are_of_the_size_of_a_step() -> None:
    given_pieces = [b"x" * 1000] * 1000
    blocks = list(in_blocks(given_pieces))
    assert all(len(block) >= BLOCK_BYTES for block in blocks[:-1])
    assert len(blocks) == 4
    assert list(in_blocks([])) == list(in_blocks([b"", b""])) == []


def test_packing_depends_on_the_bytes_and_not_on_the_pieces() -> None:
    content = random.Random(1).randbytes(300_000) + b"abc" * 100_000
    whole = b"".join(gzipped([content]))
    cut = [content[n : n + 777] for n in range(0, len(content), 777)]
    assert b"".join(gzipped(cut)) == whole
    assert whole[3:8] == bytes(5)  # neither name nor time
