"""A reference with its candidates as a file states them, whatever the file's format."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """A candidate claim set; `claims` is the text byte for byte, `system` "" where not stated."""

    candidate_id: str
    claims: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceRecord:
    """A reference claim set and its candidates.

    Texts that a file leaves out are "", `may_train` is None where the file does not say. `line` is
    where the record begins in its file, 0 where the file's layout has no such line.
    """

    reference_id: str
    reference_claims: str
    candidates: tuple[CandidateRecord, ...]
    office: str = ""
    ipc: str = ""
    language: str = ""
    title: str = ""
    family: str = ""
    draft_claims: str = ""
    may_train: bool | None = None
    line: int = field(default=0, compare=False)
