"""The OpenAPI schema: what each call takes and answers, without any data."""

from drf_spectacular.views import SpectacularAPIView

from annotator.api.permissions import MatrixPermission


class Schema(SpectacularAPIView):
    """The schema as YAML or JSON, by Accept or `?format=`."""

    permission_classes = (MatrixPermission,)
    parameters = frozenset({"format", "lang", "version"})
