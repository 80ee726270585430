"""The page of a campaign's error tags, and its figures as a file."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.access.gate import SignedInRequest, read_campaign
from annotator.access.visibility import ratings_withheld, show_systems
from annotator.adjudication.settled.queries import names_for
from annotator.error_tags.queries import HEADINGS, TagPage, tag_csv, tag_page
from annotator.export_headers import note_export
from annotator.models import Campaign
from core.http import file_download


@require_safe
def error_tags(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show which errors ratings and preferences name, by system, annotator and reference."""
    campaign, reader = read_campaign(request, slug)
    context: dict[str, object] = {"campaign": campaign, "is_admin": reader.is_admin}
    if ratings_withheld(campaign, reader):
        context["rates_here"] = reader.is_withheld
        status = 403 if reader.is_withheld else 200
        template = "annotator/error_tags/error_tags_withheld.html"
        return render(request, template, context, status=status)
    page = _page(request, campaign, is_admin=reader.is_admin)
    if request.GET.get("format") == "csv":
        file = file_download(f"{slug}-error-tags.csv", "text/csv; charset=utf-8", tag_csv(page))
        note_export(file, by=request.user)
        return file
    context |= {"page": page, "headings": HEADINGS}
    return render(request, "annotator/error_tags/error_tags.html", context)


def _page(request: SignedInRequest, campaign: Campaign, *, is_admin: bool) -> TagPage:
    show_systems(campaign=campaign, user=request.user)
    return tag_page(campaign, names_for(request.user, campaign, "error tags", is_admin=is_admin))
