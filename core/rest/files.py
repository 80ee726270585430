"""Calls that answer with a file."""

from rest_framework.negotiation import DefaultContentNegotiation


class OwnFormats(DefaultContentNegotiation):
    """Leaves `?format=` and Accept to the view: they name files, not ways to render an answer."""

    def select_renderer(self, request, renderers, format_suffix=None):  # type: ignore[no-untyped-def]
        return renderers[0], renderers[0].media_type
