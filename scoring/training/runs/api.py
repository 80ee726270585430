"""Training runs over REST: list, start, follow, describe, cancel, run again."""

from dataclasses import fields
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from core.rest.bodies import TEXT, TEXTS, body, cleaned
from core.rest.paging import PAGED, PARAMETERS, page_of
from patclaimeval.models.config import TrainingSettings
from patclaimeval.rubric import ALL_CRITERIA
from scoring.access.api import PermittedView, RunSerializer, person, version_of
from scoring.access.scopes import is_researcher
from scoring.training.model_versions.queries import runs_for
from scoring.training.runs.choices import with_listed_encoder
from scoring.training.runs.forms import RunsForm
from scoring.training.runs.queries import ASCENDING, DESCENDING, SORTS, listed_runs
from scoring.training.runs.services import (
    ALL,
    cancel_training,
    describe_run,
    request_trainings,
    train_again,
)

# The machine's devices are decided by who runs the machine.
OPTIONS = {field.name for field in fields(TrainingSettings)} - {"criterion", "device"}


NOT_EMPTY = {"type": "string", "minLength": 1}
FILTERS = [
    OpenApiParameter("q", NOT_EMPTY, description="Words of dataset, criterion, tags or note."),
    OpenApiParameter("status", str, enum=JobStatus.values),
    OpenApiParameter("criterion", str, enum=ALL_CRITERIA),
    OpenApiParameter("dataset", NOT_EMPTY, description="NAME@NUMBER of a version with runs."),
    OpenApiParameter("tag", NOT_EMPTY),
    OpenApiParameter("sort", str, enum=list(SORTS), description="The newest first without it."),
    OpenApiParameter("order", str, enum=[ASCENDING, DESCENDING]),
]


class DescribedSerializer(serializers.Serializer):
    """What researchers say of a run; what is left out stays as it is."""

    tags = serializers.ListField(child=serializers.CharField(), required=False)
    note = serializers.CharField(required=False, allow_blank=True)


# One run, or of all five criteria a list.
ONE_OR_ALL = PolymorphicProxySerializer(
    component_name="RunOrRuns",
    serializers=[RunSerializer, RunSerializer(many=True)],
    resource_type_field_name=None,
    many=False,
)


class Runs(PermittedView):
    """The runs that the caller may see; a POST queues one, or one for each criterion."""

    parameters = PARAMETERS | {one.name for one in FILTERS}

    @extend_schema(
        operation_id="training_runs_list",
        parameters=[*PAGED, *FILTERS],
        responses=RunSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        # On the page an empty field takes all; a program leaves the parameter out.
        if empty := [one.name for one in FILTERS if request.query_params.get(one.name) == ""]:
            raise ValidationError({name: ["Give a value, or leave it out."] for name in empty})
        form = RunsForm(person(request), request.query_params)
        cleaned(form)
        page = page_of(request, listed_runs(person(request), form.wanted))
        return Response(RunSerializer(page.rows, many=True).data, headers=page.headers)

    @extend_schema(request=OpenApiTypes.OBJECT, responses={202: ONE_OR_ALL})
    def post(self, request: Request) -> Response:
        given = (lambda value: value is not None, "Leave it out, or give a value.")
        needed = {"dataset", "criterion"}
        sent = body(request, dict.fromkeys(OPTIONS | needed, given), needed)
        version = version_of(request, sent.pop("dataset"))
        criterion = str(sent.pop("criterion"))
        runs = request_trainings(
            version=version,
            criteria=ALL_CRITERIA if criterion == ALL else [criterion],
            options=with_listed_encoder(sent),
            requested_by=person(request),
        )
        for run in runs:
            enqueue_on_commit(run)
        documents = [RunSerializer(run).data for run in runs]
        return Response(documents if criterion == ALL else documents[0], status=202)


class Run(PermittedView):
    """One run, as its row stands now; a PATCH sets its tags or its note."""

    @extend_schema(responses=RunSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(RunSerializer(get_object_or_404(runs_for(person(request)), pk=pk)).data)

    @extend_schema(request=DescribedSerializer, responses=RunSerializer)
    def patch(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(runs_for(user), pk=pk)
        said: dict[str, Any] = {"tags": row.tag_names, "note": row.note}
        said |= body(request, {"tags": TEXTS, "note": TEXT})
        return Response(RunSerializer(describe_run(run=row, **said, described_by=user)).data)


class Cancel(PermittedView):
    """Asks a run to stop."""

    @extend_schema(request=None, responses={202: RunSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(runs_for(user), pk=pk)
        cancel_training(run=row, cancelled_by=user)
        row.refresh_from_db()
        return Response(RunSerializer(row).data, status=202)


class Again(PermittedView):
    """Queues a new run with the data and settings of an earlier one."""

    @extend_schema(request=None, responses={202: RunSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(runs_for(user), pk=pk)
        if not is_researcher(user, row.dataset_version):
            raise PermissionDenied("Researchers of the campaign start this.")
        new = train_again(run=row, requested_by=user)
        enqueue_on_commit(new)
        return Response(RunSerializer(new).data, status=202)
