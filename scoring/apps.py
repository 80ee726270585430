"""The Django app of the scoring package."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotator.audit_log import register_acts
        from annotator.inbox.rows import register_inbox
        from annotator.operations.backups.archives import register_files
        from annotator.operations.health.database import register_look
        from core.jobs.registry import register, register_tidying
        from scoring import tasks as scoring_tasks
        from scoring.audit_labels import ACTS
        from scoring.erasures.services import carry_out_erasures, erase_copies
        from scoring.files import remove_unnamed_datasets
        from scoring.inbox import inbox_lines
        from scoring.models import AgreementReport, Freeze, ScoreRequest, TrainingRun
        from scoring.operations import KINDS, dataset_and_model_files, look_at_stored_files
        from scoring.scores.services import delete_old_scores
        from scoring.training.runs.services import clear_ended_runs

        register_acts(ACTS)
        register_inbox(inbox_lines)
        register(TrainingRun, lambda pk: scoring_tasks.train.delay(str(pk)))
        register(AgreementReport, scoring_tasks.enqueue_report)
        register(ScoreRequest, scoring_tasks.enqueue_scores)
        register(Freeze, lambda pk: scoring_tasks.freeze.delay(str(pk)))
        register_tidying(delete_old_scores)
        register_tidying(clear_ended_runs, on_each_host=True)
        register_tidying(carry_out_erasures)
        register_tidying(remove_unnamed_datasets, on_each_host=True)
        register_tidying(erase_copies, on_each_host=True)
        register_look(look_at_stored_files)
        register_files(dataset_and_model_files, **KINDS)
