"""Rows read back from what this program wrote: equal to what the strict reader gives."""

from io import BytesIO

from scoring.formats import patent_ce_jsonl
from scoring.formats import rows as formats_rows
from tests.scoring.formats.golden_rows import ROWS


def test_rows_come_back_as_the_strict_reader_gives_them() -> None:
    content = b"".join(patent_ce_jsonl.write(ROWS))
    found = list(formats_rows.read(BytesIO(content)))
    assert found == list(ROWS) == list(patent_ce_jsonl.read(BytesIO(content)))


def test_the_file_is_closed_when_the_rows_are_read_or_given_up() -> None:
    for count in (1, 2):
        file = BytesIO(b"".join(patent_ce_jsonl.write(ROWS)))
        rows = formats_rows.read(file)
        for _ in range(count):
            next(rows)
        rows.close()  # type: ignore[attr-defined]
        assert file.closed
