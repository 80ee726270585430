"""Saves the plots of a page as who reads it would: by the links that stand beside them."""

import html
import re
from xml.etree import ElementTree

from django.test import Client


def saved_plots(client: Client, address: str) -> dict[str, ElementTree.Element]:
    """Return each plot that the page of an address offers as SVG, by its file's name."""
    page = client.get(address).content.decode()
    found = {}
    for link, name in re.findall(r'<a href="(\?[^"]*)" download="([^"]+)" aria-label="SVG', page):
        answer = client.get(address.partition("?")[0] + html.unescape(link))
        assert answer.status_code == 200, link
        assert answer["Content-Type"] == "image/svg+xml"
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert name not in found, "two plots of one page have one name"
        found[name] = ElementTree.fromstring(answer.content)
        assert f'data-picture="{link}" data-name="{name.removesuffix(".svg")}.png"' in page
    unknown = f"{address}{'&' if '?' in address else '?'}plot=no-such"
    assert client.get(unknown).status_code == 404
    return found
