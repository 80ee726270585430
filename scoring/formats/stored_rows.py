"""Rows of a file that this program wrote itself, with its own digest: nothing is doubted."""

import json
from collections.abc import Iterator
from typing import BinaryIO

from scoring.formats.fields import EXTRAS
from scoring.formats.rows import DatasetRow


def read(file: BinaryIO) -> Iterator[DatasetRow]:
    """Yield the rows of a canonical JSONL in file order, one held at a time, and close the file.

    Input: a file open for bytes at its beginning, with the digest under which it was stored.
    """
    with file:
        for line in file:
            fields = json.loads(line)
            yield DatasetRow(
                id=fields["id"],
                reference_id=fields["reference_id"],
                reference=fields["A"],
                b=fields["B"],
                c=fields["C"],
                b_id=fields["b_id"],
                c_id=fields["c_id"],
                y=fields["y"],
                split=fields["split"],
                provenance=fields["provenance"],
                extras={key: fields[key] for key in EXTRAS if key in fields},
            )
