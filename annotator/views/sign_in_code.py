"""The second step of a sign-in: a code of the phone, or a recovery code."""

from typing import Any

from django.contrib.auth.views import RedirectURLMixin
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render, resolve_url
from django.views import View

from annotator.forms.second_factor import CodeForm
from annotator.refusals import Refused, TooOften
from annotator.services.second_factor import check_code
from annotator.sign_in.second_step import awaited
from annotator.views.letting_in import let_in

OVER = "That took too long. Sign in with your password again."


def ask_for_code(
    request: HttpRequest, form: CodeForm, target: str, carried: str, status: int = 200
) -> HttpResponse:
    """Show the page that asks for a code, or tell a script where to send one."""
    if request.headers.get("HX-Request"):
        sentence = " ".join(str(why) for reasons in form.errors.values() for why in reasons)
        told = {"sentence": sentence or "Your code, please."}
        if status == 200:
            told["code_url"] = resolve_url("annotator:login_code")
        return JsonResponse(told, status=status)
    context = {"form": form, "next": target, "carried": carried}
    return render(request, "annotator/login_code.html", context, status=status)


class SignInCode(RedirectURLMixin, View):
    """Takes the code of who gave the right password within the last five minutes."""

    http_method_names = ["get", "head", "post"]
    next_page = "annotator:home"

    def get(self, request: HttpRequest) -> HttpResponse:
        if awaited(request) is None:
            return redirect("annotator:login")
        return ask_for_code(request, CodeForm(), self.get_redirect_url(), "")

    def post(self, request: HttpRequest) -> HttpResponse:
        user = awaited(request)
        if user is None:
            if request.headers.get("HX-Request"):
                return JsonResponse({"sentence": OVER, "is_over": True}, status=422)
            return redirect("annotator:login")
        form = CodeForm(request.POST)
        carried = request.POST.get("carried", "")
        if not form.is_valid():
            return self._again(form, carried, 422)
        try:
            check_code(user=user, code=form.cleaned_data["code"])
        except Refused as refusal:
            form.take_refusal(refusal)
            return self._again(form, carried, refusal.status, refusal)
        return let_in(request, user, self.get_success_url(), carried=carried, with_code=True)

    def _again(
        self, form: CodeForm, carried: str, status: int, refusal: Refused | None = None
    ) -> HttpResponse:
        response = ask_for_code(self.request, form, self.get_redirect_url(), carried, status)
        if isinstance(refusal, TooOften):
            response["Retry-After"] = str(refusal.retry_after)
        return response

    def get_default_redirect_url(self) -> Any:
        return resolve_url(self.next_page)
