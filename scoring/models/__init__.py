"""The nouns of the measuring house."""

from scoring.models.datasets import Dataset, DatasetVersion, Freeze, UsedRating
from scoring.models.reports import AgreementReport, MetricScore
from scoring.models.runs import ModelVersion, TrainingRun

__all__ = [
    "AgreementReport",
    "Dataset",
    "DatasetVersion",
    "Freeze",
    "MetricScore",
    "ModelVersion",
    "TrainingRun",
    "UsedRating",
]
