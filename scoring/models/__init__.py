"""The tables of the scoring package."""

from scoring.models.datasets import Dataset, DatasetVersion, Freeze, TextPermission, UsedRating
from scoring.models.erasures import Erasure, ErasureStatus
from scoring.models.promotions import Promotion, PromotionAct
from scoring.models.reports import AgreementReport, MetricScore, ReportItems
from scoring.models.runs import ModelVersion, TrainingRun
from scoring.models.score_requests import ScoreRequest

__all__ = [
    "AgreementReport",
    "Dataset",
    "DatasetVersion",
    "Erasure",
    "ErasureStatus",
    "Freeze",
    "MetricScore",
    "ModelVersion",
    "Promotion",
    "PromotionAct",
    "ReportItems",
    "ScoreRequest",
    "TextPermission",
    "TrainingRun",
    "UsedRating",
]
