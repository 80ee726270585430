"""The Django app of the rating house."""

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    name = "annotator"

    def ready(self) -> None:
        from annotator import celery, tasks  # noqa: F401 - its app becomes the current one
        from annotator.jobs.queues import Queues
        from annotator.jobs.registry import register, register_tidying
        from annotator.models import ClaimImport, ReliabilityReport
        from annotator.services.pace import delete_used_up
        from annotator.services.presences import forget_presences
        from annotator.services.sessions import delete_ended_sessions

        register(
            ReliabilityReport, lambda pk: tasks.reliability.delay(str(pk)), lambda _: Queues.WEB
        )
        register(ClaimImport, lambda pk: tasks.import_claims.delay(str(pk)), lambda _: Queues.WEB)
        register_tidying(delete_used_up)
        register_tidying(forget_presences)
        register_tidying(delete_ended_sessions)
