"""Who calls the API: the owner of a token, as far as its scope reaches."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from annotator.access.scopes import living_token
from annotator.accounts.sessions import note_use, token_digest
from annotator.models import TokenScope, User

KEYWORD = "Token"
REFUSED = "This token is unknown or has expired."


class ApiTokenAuthentication(BaseAuthentication):
    """Reads `Authorization: Token ...`; only the digest of a token is stored."""

    def authenticate(self, request: Request) -> tuple[User, str] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != KEYWORD.lower().encode():
            return None
        if len(parts) != 2:
            raise exceptions.AuthenticationFailed(REFUSED)
        token = living_token(token_digest(parts[1].decode("latin-1")))
        if token is None:
            raise exceptions.AuthenticationFailed(REFUSED)
        if token.scope != TokenScope.WRITE and request.method not in SAFE_METHODS:
            # For the audit trail: the caller of a refused call counts as nobody.
            request._request.refused_caller = token.user  # type: ignore[attr-defined]
            raise exceptions.PermissionDenied("This token may read only.")
        note_use(token)
        return token.user, token.scope

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class ApiTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes the token in the OpenAPI schema."""

    target_class = ApiTokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token ...`, made on the account page or by `manage.py create_token`.",
        }
