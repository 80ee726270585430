"""The answer after a form was accepted: look at another page, with GET."""

from django.http import HttpResponseRedirect


class SeeOther(HttpResponseRedirect):
    """A redirect with 303, which every client follows with GET."""

    status_code = 303
