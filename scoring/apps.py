"""The Django app of the measuring house."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotator.audit.words import register_acts
        from annotator.backups.kept_files import register_files
        from annotator.health.findings import register_look
        from annotator.jobs.queues import Queues
        from annotator.jobs.registry import register, register_tidying
        from scoring import tasks
        from scoring.audit_words import ACTS
        from scoring.models import AgreementReport, Freeze, ScoreRequest, TrainingRun
        from scoring.queries.kept_files import KINDS, dataset_and_model_files
        from scoring.queries.stored_files import look_at_stored_files
        from scoring.services.carried_out_erasures import carry_out_erasures
        from scoring.services.run_files import clear_ended_runs
        from scoring.services.scores import delete_old_scores

        register_acts(ACTS)
        register(TrainingRun, lambda pk: tasks.train.delay(str(pk)), lambda _: Queues.GPU)
        register(AgreementReport, tasks.ring_report, tasks.queue_of_report)
        register(ScoreRequest, lambda pk: tasks.scores.delay(str(pk)), lambda _: Queues.GPU)
        register(Freeze, lambda pk: tasks.freeze.delay(str(pk)), lambda _: Queues.WEB)
        register_tidying(delete_old_scores)
        register_tidying(clear_ended_runs)
        register_tidying(carry_out_erasures)
        register_look(look_at_stored_files)
        register_files(dataset_and_model_files, **KINDS)
