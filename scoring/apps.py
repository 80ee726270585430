"""The Django app of the measuring house."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotator.jobs.registry import register
        from scoring import tasks
        from scoring.models import AgreementReport, Freeze, TrainingRun
        from scoring.services.run_files import clear_ended_runs

        register(TrainingRun, lambda pk: tasks.train.delay(str(pk)), clear_ended_runs)
        register(AgreementReport, lambda pk: tasks.report.delay(str(pk)))
        register(Freeze, lambda pk: tasks.freeze.delay(str(pk)))
