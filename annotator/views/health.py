"""Health for supervisors and load balancers; it tells nothing else."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Say that this process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Say whether the database is reached and migrated."""
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return JsonResponse({"status": "not ok", "database": "not reached"}, status=503)
    if waiting:
        return JsonResponse({"status": "not ok", "database": "not migrated"}, status=503)
    return JsonResponse({"status": "ok"})
