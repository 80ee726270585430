"""A row of a dataset as files state it, whatever the file's format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """A quadruplet: reference A, candidates B and C, and y per criterion (1, 0 or -1).

    Texts are kept byte for byte. `split` is "" where a file names none. `extras` holds the
    optional keys of patent-ce-jsonl.
    """

    id: str
    reference_id: str
    reference: str
    b: str
    c: str
    b_id: str
    c_id: str
    y: Mapping[str, int]
    split: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def annotator(self) -> str:
        """The pseudonym of the one annotator that the labels are of; "" where there is none."""
        return str(self.extras.get("annotator", ""))
