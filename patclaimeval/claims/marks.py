"""The marks that a claim set earns by itself, and which of them a language has."""

from functools import lru_cache

from patclaimeval.claims.antecedents import find_antecedent_gaps
from patclaimeval.claims.languages import is_read_as_english, language_name
from patclaimeval.claims.mark_kinds import LIKELY_BASIS, NO_ANTECEDENT, PREAMBLE, RENAMED, SIGN
from patclaimeval.claims.parsing import CITED_IN
from patclaimeval.claims.preambles import find_preamble_mismatches
from patclaimeval.claims.segments import Span
from patclaimeval.claims.term_changes import renamed_terms


def is_marked(language: str) -> bool:
    """Return whether antecedents and terms are read in a language: in English alone."""
    return is_read_as_english(language)


def unchecked_marks(language: str, reference: str | None = None) -> str:
    """Say which marks a claim set in a language has none of, "" where all are looked for.

    `reference` is the language of the reference that a candidate stands beside.
    """
    name = language_name(language)
    marks = [] if is_marked(language) else ["antecedents", "renamed terms"]
    if marks and reference is not None:
        marks.append("whether a limitation is broader or narrower")
    if marks and reference is not None:
        marks.append("terms that are not in the reference")
    if language not in CITED_IN and not is_marked(language):
        marks.append("claims cited")
    if marks:
        return f"Not checked in this language ({name}): {', '.join(marks)}."
    if reference is not None and not is_marked(reference):
        name = language_name(reference)
        return f"Not checked beside a reference in {name}: terms that are not in it."
    return ""


# The marks of a reference are the same beside each of its candidates.
@lru_cache(maxsize=8)
def own_marks(text: str, language: str) -> tuple[Span, ...]:
    """Return the marks that a claim set earns by itself, in a language in which they are read."""
    if not is_marked(language):
        return ()
    gaps = find_antecedent_gaps(text)
    renamed = renamed_terms(text, gaps)
    named = {item.end for item in renamed}
    mismatches = find_preamble_mismatches(text)
    return (
        *(Span(one.start, one.end, PREAMBLE, one.sentence) for one in mismatches),
        *(
            Span(
                gap.start,
                gap.end,
                NO_ANTECEDENT if gap.is_certain and gap.end not in named else LIKELY_BASIS,
                gap.sentence,
            )
            for gap in gaps
        ),
        *(
            Span(r.start, r.end, SIGN, f"{r.sign} stood for “{r.first}” before")
            if r.sign
            else Span(r.start, r.end, RENAMED, f"called “{r.first}” before")
            for r in renamed
        ),
    )
