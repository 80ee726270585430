"""The Django app of the measuring house."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"
