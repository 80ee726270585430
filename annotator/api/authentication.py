"""Who calls the API: the owner of a token, as far as its scope reaches."""

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from annotator.models import ApiToken, TokenScope, User
from annotator.services.people import token_digest

KEYWORD = "Token"
ASKED_OF_A_CALLER = ("username", "is_active", "is_superuser")
REFUSED = "This token is unknown or has expired."


class ApiTokenAuthentication(BaseAuthentication):
    """Reads `Authorization: Token ...`; only the digest of a token is stored."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != KEYWORD.lower().encode():
            return None
        if len(parts) != 2:
            raise exceptions.AuthenticationFailed(REFUSED)
        token = _token(parts[1])
        if token.scope != TokenScope.WRITE and request.method not in SAFE_METHODS:
            raise exceptions.PermissionDenied("This token may read only.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


def _token(sent: bytes) -> ApiToken:
    digest = token_digest(sent.decode("latin-1"))
    row = (
        ApiToken.objects.select_related("user")
        .only("scope", *(f"user__{name}" for name in ASKED_OF_A_CALLER))
        .filter(token_sha256=digest, expires_at__gt=timezone.now(), user__is_active=True)
        .first()
    )
    if row is None:
        raise exceptions.AuthenticationFailed(REFUSED)
    return row


class ApiTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes the token in the OpenAPI schema."""

    target_class = ApiTokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token ...`, made by `manage.py create_token`.",
        }
