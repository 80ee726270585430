"""Preferences of a PatentEval export as rows: what one annotator said of the overall quality."""

from collections.abc import Iterator

from annotator.formats import label_studio
from annotator.formats.digests import candidate_id_of, reference_id_of
from annotator.formats.preference_records import PreferenceRecord
from annotator.formats.records import ByteSource, ReadNotes
from annotator.rubric import OVERALL
from scoring.formats.rows import DatasetRow
from scoring.quadruplets import flags_of, quadruplet_id


def read(file: ByteSource, notes: ReadNotes | None = None) -> Iterator[DatasetRow]:
    """Yield a row an annotation, in file order: (claims so far, left output, right output).

    Input: a file open for bytes at its beginning. Output: y is 1 where left is better, -1 where
    right is, 0 where no comparison is stated; `annotator` is the number that the file gives, behind
    "label-studio-". Raises FormatError with up to 100 bad items.
    """
    return map(_row, label_studio.read(file, notes))


def _row(said: PreferenceRecord) -> DatasetRow:
    reference, b, c = said.reference_claims, said.left, said.right
    flags = flags_of(reference, b, c)
    return DatasetRow(
        id=quadruplet_id(reference, b, c, said.annotator),
        reference_id=reference_id_of(reference),
        reference=reference,
        b=b,
        c=c,
        b_id=candidate_id_of(b),
        c_id=candidate_id_of(c),
        y={OVERALL: said.judgement},
        provenance={"annotators": 1},
        extras={"annotator": said.annotator}
        | ({"ipc": said.ipc} if said.ipc else {})
        | ({"flags": list(flags)} if flags else {}),
    )
