"""The bytes of a report's files; screens and REST share them."""

from pathlib import Path
from typing import Any, Final

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from scoring.reports.files import canonical_json, csv_table, latex_table
from scoring.reports.queries import page_of

STYLES: Final = ("tokens", "base", "components", "datasets", "reports")


def report_file(document: dict[str, Any], wanted: str) -> bytes:
    """Return the bytes of a report in one of TYPES; the same document gives the same bytes."""
    if wanted == "json":
        return canonical_json(document)
    if wanted == "csv":
        return csv_table(document).encode()
    if wanted == "latex":
        return latex_table(document).encode()
    return html_file(document).encode()


def html_file(document: dict[str, Any]) -> str:
    """Return a page that needs nothing beside it: styles and drawings inside, no script."""
    page = page_of(document, is_whole=True)
    # Our own stylesheets, none of which closes the element that they stand in.
    styles = mark_safe("\n".join(_style(name) for name in STYLES))  # noqa: S308
    context = {"page": page, "is_file": True, "styles": styles}
    return render_to_string("scoring/reports/report_file.html", context)


def _style(name: str) -> str:
    found = finders.find(f"css/{name}.css")
    assert isinstance(found, str)
    return Path(found).read_text(encoding="utf-8")
