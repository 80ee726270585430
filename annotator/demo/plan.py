"""Owns the plan of the demo campaign: what `load_demo` is to store, made from files and a seed."""

from pathlib import Path

from annotator.demo.candidates import LABELS, make_candidates
from annotator.demo.ratings import make_ratings
from annotator.demo.records import DemoAssignment, DemoPlan, DemoReference
from annotator.demo.sources import read_sources

# The first references are rated by both demo annotators, the others wait for the named ones.
RATED_REFERENCES = 14
NAMED_ANNOTATORS = ("alice", "bob")


def build_demo_plan(directory: Path, seed: int = 0) -> DemoPlan:
    """Return the whole demo campaign, the same for the same files and seed.

    Input: the folder that holds campaign.toml and references/. Output: every reference with
    five candidates; ratings by demo-1 and demo-2 of the first 14 references, but for candidate
    c5 of the 14th; and unrated assignments of alice and bob: that c5 and all candidates of the
    further references. Nothing is stored and no clock is read.
    """
    source = read_sources(directory)
    references = tuple(
        DemoReference(item, make_candidates(item, seed)) for item in source.references
    )
    rated = [(reference, reference.candidates) for reference in references[:RATED_REFERENCES]]
    last, candidates = rated[-1]
    rated[-1] = (last, candidates[:-1])
    ratings, discrepancies = make_ratings(rated, seed)
    open_places = [(last.source.reference_id, LABELS[-1])] + [
        (reference.source.reference_id, candidate.label)
        for reference in references[RATED_REFERENCES:]
        for candidate in reference.candidates
    ]
    assignments = tuple(
        DemoAssignment(reference_id, label, annotator)
        for annotator in NAMED_ANNOTATORS
        for reference_id, label in open_places
    )
    return DemoPlan(source.slug, source.title, references, ratings, assignments, discrepancies)
