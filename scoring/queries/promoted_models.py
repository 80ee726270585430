"""The promoted models of a person's scope with their figures, and what is missing."""

from annotator.models import User
from annotator.rubric import ALL_CRITERIA
from scoring.queries.promotions import no_model, promoted
from scoring.queries.scores import ScoringModel, scoring_model_words


def promoted_models(user: User) -> list[ScoringModel]:
    """Return the models that score for the person, in the order of the rubric."""
    return [scoring_model_words(row.model) for row in promoted(user).values()]


def missing_models(user: User) -> str:
    """Return what is said of the criteria that have no promoted model; nothing for none."""
    known = promoted(user)
    return no_model([criterion for criterion in ALL_CRITERIA if criterion not in known])
