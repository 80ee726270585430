"""The guides of `docs/` as pages, one for each role, and the description of the REST API."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlencode

from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotator.access.gate import SignedInRequest
from annotator.access.scopes import roles_of
from annotator.models import Role

# Guides by role, the broader role first. What is hidden from annotators stands in those of others.
OF_ROLE: Final = {
    Role.ADMIN: ("admin", "adjudicator", "annotator", "researcher", "files", "metrics", "install"),
    Role.RESEARCHER: ("researcher", "metrics", "files"),
    Role.READER: ("researcher", "metrics", "files"),
    Role.ADJUDICATOR: ("adjudicator", "annotator"),
    Role.ANNOTATOR: ("annotator",),
}
RELATIVE: Final = re.compile(r"(?:(?P<name>\w+)\.md)?(?P<place>#[\w-]+)?")


@require_safe
def help_page(request: SignedInRequest) -> HttpResponse:
    """Show the guide of the person's role, or one that they ask for; others are not found."""
    roles = {Role.ADMIN} if request.user.is_superuser else roles_of(request.user)
    guides = tuple(
        dict.fromkeys(name for role in OF_ROLE if role in roles for name in OF_ROLE[role])
    )
    guides = guides or OF_ROLE[Role.ANNOTATOR]
    name = request.GET.get("guide", guides[0])
    if name not in guides:
        raise Http404
    context = {"guides": guides, "name": name, "guide": guide_html(name, guides)}
    return render(request, "annotator/site/help.html", context)


@require_safe
@csp_update({"img-src": "data:"})  # the library's icons
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show the calls of the REST API, to be read and tried."""
    return render(request, "annotator/site/api_docs.html")


@lru_cache(maxsize=32)
def guide_html(name: str, guides: tuple[str, ...]) -> SafeString:
    """Return a guide as HTML; links lead to the given guides only, pictures are left out."""
    path = settings.BASE_DIR / "docs" / f"{name}.md"
    if not path.is_file():
        raise Http404
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(tokens[place + 1].content))
        elif token.type in ("fence", "code_block"):
            token.attrSet("tabindex", "0")
        elif token.type == "table_open":
            token.attrSet("class", "rows")
        if token.children:
            token.children = [
                _led(child, guides) for child in token.children if child.type != "image"
            ]
    # Our own text; HTML in it would be escaped.
    return mark_safe(markdown.renderer.render(tokens, markdown.options, {}))  # noqa: S308


def _anchor(heading: str) -> str:
    """Return the anchor of a heading, as the links of the guides name it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _led(token: Token, guides: tuple[str, ...]) -> Token:
    """Return a token whose link leads to a guide of the person, or nowhere."""
    if token.type == "link_open":
        target = str(token.attrGet("href"))
        found = RELATIVE.fullmatch(target)
        if found and found["name"] in guides:
            query = urlencode({"guide": found["name"]})
            token.attrSet("href", f"{reverse('annotator:help')}?{query}{found['place'] or ''}")
        elif not found or found["name"]:
            del token.attrs["href"]
    return token
