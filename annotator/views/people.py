"""Sign in and sign out."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from annotator.forms.people import SignInForm

UNPROCESSABLE = 422


@method_decorator(require_http_methods(["GET", "HEAD", "POST"]), name="dispatch")
class SignIn(LoginView):
    """The sign-in page; `next` is followed on this site only."""

    template_name = "annotator/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        context = self.get_context_data(form=form)
        return self.render_to_response(context, status=UNPROCESSABLE)


class SignOut(LogoutView):
    """Ends the session and has the browser forget what it kept of this site."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        response["Clear-Site-Data"] = '"cache", "storage"'
        return response
