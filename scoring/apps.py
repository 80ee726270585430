"""The Django app of the measuring house."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotator.jobs.registry import register
        from scoring import tasks
        from scoring.models import AgreementReport, Freeze, TrainingRun

        register(TrainingRun, lambda pk: tasks.train.delay(str(pk)))
        register(AgreementReport, lambda pk: tasks.report.delay(str(pk)))
        register(Freeze, lambda pk: tasks.freeze.delay(str(pk)))
