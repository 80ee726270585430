"""A provider in this process that signs whatever it is told to: for what no honest one sends."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs

from joserfc.jwk import RSAKey
from joserfc.jws import serialize_compact

from core.oidc.client import forget
from core.oidc.settings import Provider

KEY: Final = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
STRANGE_KEY: Final = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
CLIENT: Final = "workbench"


@dataclass
class SigningProvider:
    """What it says next; a test changes it between two steps."""

    issuer: str = ""
    name: str = "firm"
    key: RSAKey = field(default_factory=lambda: KEY)
    claims: dict[str, Any] = field(default_factory=dict)
    person: dict[str, Any] = field(default_factory=dict)
    id_token: str | None = None
    """An ID token as it stands, in the place of one made of the claims."""
    delay: float = 0.0
    status: int = 200
    discovery: dict[str, Any] = field(default_factory=dict)
    hours_off: float = 0.0
    knows_redirect: bool = True
    knows_secret: bool = True
    keys_given: list[dict[str, Any]] | None = None
    nonce: str = ""
    used: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)

    @property
    def settings(self) -> Provider:
        return Provider(
            name=self.name,
            label="Firm",
            issuer=self.issuer,
            client_id=CLIENT,
            client_secret="hush",
        )

    def sign(self, claims: dict[str, Any], **header: Any) -> str:
        """Sign any claims, also those that no library would encode, such as NaN."""
        payload = json.dumps(claims).encode()
        return serialize_compact({"alg": "RS256", "kid": "one", **header}, payload, self.key)

    def fresh_claims(self, **more: Any) -> dict[str, Any]:
        now = int(time.time())
        own = {"iss": self.issuer, "aud": CLIENT, "sub": "s-1", "iat": now, "exp": now + 300}
        found = own | {"nonce": self.nonce} | self.claims | more
        return {name: value for name, value in found.items() if value is not None}

    def tokens(self, sent: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.forms.append(sent)
        if not self.knows_secret:
            return 401, {"error": "invalid_client"}
        if sent["code"] in self.used or not sent["code"].startswith("code"):
            return 400, {"error": "invalid_grant"}
        self.used.add(sent["code"])
        made = {"access_token": "open", "token_type": "Bearer"}
        made["id_token"] = self.id_token or self.sign(self.fresh_claims())
        return 200, made


def unsigned(claims: dict[str, Any]) -> str:
    """Return a token that says of itself that nobody signed it."""
    parts = ({"alg": "none", "typ": "JWT"}, claims)
    return ".".join(_part(json.dumps(part).encode()) for part in parts) + "."


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Handler(BaseHTTPRequestHandler):
    """Answers for the provider that the server bears."""

    @property
    def own(self) -> SigningProvider:
        return self.server.own  # type: ignore[attr-defined,no-any-return]

    def do_GET(self) -> None:
        own = self.own
        own.asked.append(self.path)
        if self.path == "/.well-known/openid-configuration":
            self.answer(own.status, self.published() | own.discovery)
        elif self.path == "/keys":
            given = own.keys_given
            rows = [own.key.as_dict(private=False)] if given is None else given
            self.answer(200, {"keys": rows})
        elif self.path == "/person":
            self.answer(200, own.person or {"sub": own.fresh_claims()["sub"]})
        elif not own.knows_redirect:
            self.answer(400, {"error": "invalid_redirect_uri"})
        else:
            wish = parse_qs(self.path.partition("?")[2])
            self.send_response(303)
            self.send_header("Location", f"{wish['redirect_uri'][0]}?error=login_required")
            self.end_headers()

    def do_POST(self) -> None:
        self.own.asked.append(self.path)
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(*self.own.tokens({key: one[0] for key, one in parse_qs(text).items()}))

    def published(self) -> dict[str, Any]:
        place = self.own.issuer
        return {
            "issuer": place,
            "authorization_endpoint": f"{place}/auth",
            "token_endpoint": f"{place}/token",
            "jwks_uri": f"{place}/keys",
            "userinfo_endpoint": f"{place}/person",
            "backchannel_logout_supported": True,
        }

    def answer(self, status: int, said: dict[str, Any]) -> None:
        time.sleep(self.own.delay)
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        # Whoever asked may have gone meanwhile.
        with suppress(OSError):
            self.wfile.write(body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(int(time.time() + self.own.hours_off * 3600))

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def serving(name: str = "firm") -> Iterator[SigningProvider]:
    """Serve a provider on a free port."""
    own = SigningProvider(name=name)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.own = own  # type: ignore[attr-defined]
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    own.issuer = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield own
    finally:
        server.shutdown()
        server.server_close()
        forget(own.settings)
