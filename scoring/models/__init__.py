"""The tables of the scoring package."""

from scoring.models.datasets import Dataset, DatasetVersion, Freeze, TextPermission, UsedRating
from scoring.models.erasures import Erasure, ErasureStatus
from scoring.models.orders import QueueOrder
from scoring.models.promotions import Promotion, PromotionAct
from scoring.models.reports import AgreementReport, MetricScore, ReportItems
from scoring.models.runs import ModelVersion, TrainingRun
from scoring.models.schedules import Chain, ChainStatus, ChainStep, Outcome, Schedule
from scoring.models.score_requests import ScoreRequest

__all__ = [
    "AgreementReport",
    "Chain",
    "ChainStatus",
    "ChainStep",
    "Dataset",
    "DatasetVersion",
    "Erasure",
    "ErasureStatus",
    "Freeze",
    "MetricScore",
    "ModelVersion",
    "Outcome",
    "Promotion",
    "PromotionAct",
    "QueueOrder",
    "ReportItems",
    "Schedule",
    "ScoreRequest",
    "TextPermission",
    "TrainingRun",
    "UsedRating",
]
