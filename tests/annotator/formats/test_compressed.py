import gzip
import io

import pytest

from annotator.formats.csv_streams import MOST_TIMES, UNSUSPECTED_BYTES, unpacked
from core.text_io.streams import FormatError


def test_a_plain_file_is_itself_from_its_beginning():
    file = io.BytesIO(b"abc")
    file.read()
    assert unpacked(file) is file
    assert file.read() == b"abc"


def test_what_gzip_packed_is_read_also_in_several_members():
    data = gzip.compress(b"one\ntwo\n") + gzip.compress(b"three")
    file = unpacked(io.BytesIO(data))
    assert [file.readline(), file.readline(2), file.readline(), file.read()] == [
        b"one\n",
        b"tw",
        b"o\n",
        b"three",
    ]


@pytest.mark.parametrize("cut", [3, 12, 40])
def test_a_stream_that_is_cut_short_is_refused(cut):
    data = gzip.compress(bytes(range(256)))
    with pytest.raises(FormatError, match="cut short or damaged"):
        unpacked(io.BytesIO(data[:cut])).read()


def test_a_damaged_stream_and_bytes_after_it_are_refused():
    data = bytearray(gzip.compress(bytes(range(256)) * 9))
    data[-5] ^= 1
    for damaged in (bytes(data), gzip.compress(b"x") + b"rubbish"):
        with pytest.raises(FormatError, match="damaged"):
            unpacked(io.BytesIO(damaged)).read()


def test_a_file_that_unpacks_to_a_thousand_times_its_size_is_stopped_early():
    size = 3 * UNSUSPECTED_BYTES
    bomb = gzip.compress(bytes(size), 9)
    assert len(bomb) * 900 < size
    file = unpacked(io.BytesIO(bomb))
    taken: list[int] = []
    with pytest.raises(FormatError, match=f"more than {MOST_TIMES} times its size"):
        taken.extend(map(len, iter(lambda: file.read(65_536), b"")))
    assert 0 < sum(taken) < 2 * UNSUSPECTED_BYTES


def test_the_size_has_a_limit_whatever_the_ratio():
    with pytest.raises(FormatError, match="limit of 1,000 bytes"):
        unpacked(io.BytesIO(gzip.compress(bytes(2_000))), most_bytes=1_000).read()
    assert unpacked(io.BytesIO(gzip.compress(bytes(1_000))), most_bytes=1_000).read() == bytes(1000)
