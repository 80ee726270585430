"""Health for supervisors and load balancers, and figures for who watches the site."""

from django.db.utils import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from annotator.operations.health.checks import queues_without_worker
from annotator.operations.health.database import waiting_migrations
from annotator.operations.health.figures import text


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer that this process is alive."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Return whether the database is reached and migrated, and which queues have no living worker.

    Rating needs no worker: a web server without one stays in service, so the answer is 200.
    """
    try:
        if waiting_migrations():
            return JsonResponse({"status": "not ok", "database": "not migrated"}, status=503)
        unserved = queues_without_worker()
    except DatabaseError:
        return JsonResponse({"status": "not ok", "database": "not reached"}, status=503)
    if unserved:
        message = f"no worker is alive for: {', '.join(unserved)}"
        return JsonResponse({"status": "degraded", "workers": message})
    return JsonResponse({"status": "ok"})


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Give the figures to a site admin, or to a scraper that bears METRICS_TOKEN."""
    return HttpResponse(text(), content_type="text/plain; version=0.0.4; charset=utf-8")
