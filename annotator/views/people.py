"""Sign in and sign out."""

import json
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from annotator.forms.people import SignInForm
from annotator.forms.rating import RatingForm
from annotator.forms.second_factor import CodeForm
from annotator.gate import DRAFT_FIELD
from annotator.models import User
from annotator.refusals import TooOften
from annotator.sign_in.second_step import await_code, has_factor
from annotator.views.letting_in import carried_page, let_in
from annotator.views.sign_in_code import ask_for_code
from annotator.views.typed_again import kept_fields

UNPROCESSABLE = 422
UNAUTHORIZED = 401


@method_decorator(require_http_methods(["GET", "HEAD", "POST"]), name="dispatch")
class SignIn(LoginView):
    """The sign-in page; `next` is followed on this site only.

    A rating that was posted after the session had ended comes here with all its fields: they are
    carried through the sign-in and kept as a draft of the one who signs in.
    """

    template_name = "annotator/login.html"
    authentication_form = SignInForm

    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # A page's script that signs in again in place wants an answer, not another page; and what
        # a form carries is kept first, even if another tab has signed in meanwhile.
        is_asking = request.headers.get("HX-Request") or request.method == "POST"
        self.redirect_authenticated_user = not is_asking
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        typed = None if "username" in request.POST else self._carried()
        if typed is None:
            try:
                return super().post(request, *args, **kwargs)
            except TooOften as refusal:
                return self._too_often(refusal)
        context = self.get_context_data(form=SignInForm(request), carried=json.dumps(typed))
        return self.render_to_response(context, status=UNAUTHORIZED)

    def _carried(self) -> dict[str, str] | None:
        """Return the fields of a form that came here for want of a session; None for no form."""
        sent = self.request.POST
        if DRAFT_FIELD in sent:
            form = RatingForm(sent)
            return form.as_typed | {DRAFT_FIELD: form.typed(DRAFT_FIELD)}
        if carried_page(self.get_redirect_url()) is None:
            return None
        return {
            name: value for name, value in kept_fields(sent) if name != self.redirect_field_name
        }

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        carried = {"carried": self.request.POST.get("carried", "")}
        return super().get_context_data(**(carried | kwargs))

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        assert isinstance(user, User)
        carried = self.request.POST.get("carried", "")
        if not has_factor(user):
            return let_in(self.request, user, self.get_success_url(), carried=carried)
        await_code(self.request, user)
        return ask_for_code(self.request, CodeForm(), self.get_redirect_url(), carried)

    def _too_often(self, refusal: TooOften) -> HttpResponse:
        """Say when to try again; the name, and what a form carries, stay."""
        if self.request.headers.get("HX-Request"):
            response: HttpResponse = JsonResponse({"sentence": refusal.sentence}, status=429)
        else:
            # Unbound: the form must not check the password while it is shown.
            form = SignInForm(self.request, initial={"username": self.request.POST["username"]})
            context = self.get_context_data(form=form, sentence=refusal.sentence)
            response = self.render_to_response(context, status=refusal.status)
        response["Retry-After"] = str(refusal.retry_after)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if self.request.headers.get("HX-Request"):
            sentence = " ".join(str(why) for reasons in form.errors.values() for why in reasons)
            return JsonResponse({"sentence": sentence}, status=UNPROCESSABLE)
        context = self.get_context_data(form=form)
        return self.render_to_response(context, status=UNPROCESSABLE)


class SignOut(LogoutView):
    """Ends the session and has the browser forget what it kept of this site."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        response["Clear-Site-Data"] = '"cache", "storage"'
        return response
