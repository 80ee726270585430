"""The nouns of the measuring house."""

from scoring.models.datasets import Dataset, DatasetVersion
from scoring.models.reports import AgreementReport, MetricScore
from scoring.models.runs import ModelVersion, TrainingRun

__all__ = [
    "AgreementReport",
    "Dataset",
    "DatasetVersion",
    "MetricScore",
    "ModelVersion",
    "TrainingRun",
]
