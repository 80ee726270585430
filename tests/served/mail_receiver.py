"""A server of mail as a process of its own: `mail_receiver.py LOG [CERTIFICATE]`.

It prints its port, and writes each mail that it takes as a line of JSON. What it answers stands in
the address: `refused@` 550, `later@` 451, any other 250. With a certificate it wants STARTTLS.
"""

import asyncio
import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP

from tests.served.hook_receiver import CERTIFICATE

ANSWERS = {"refused": "550 No such user", "later": "451 Try again"}


class Handler:
    """Takes mails, and refuses what it is to refuse."""

    def __init__(self, log: Path) -> None:
        self.log = log

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if answer := ANSWERS.get(address.partition("@")[0]):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - the library's name
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        line = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": envelope.content.decode(),
            "is_encrypted": session.ssl is not None,
        }
        with self.log.open("a") as file:
            file.write(json.dumps(line) + "\n")
        return "250 Taken"


@dataclass(frozen=True)
class Mailbox:
    """The process as a test sees it."""

    port: int
    log: Path

    @property
    def received(self) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    @property
    def mails(self) -> list[Message]:
        return [message_from_string(one["content"]) for one in self.received]


@contextmanager
def receiving_mail(folder: Path, *, has_certificate: bool = False) -> Iterator[Mailbox]:
    """Start a server; it is killed at the end."""
    log = folder / "mails.jsonl"
    more = [str(CERTIFICATE)] if has_certificate else []
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.served.mail_receiver", str(log), *more],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Mailbox(int(process.stdout.readline()), log)
    finally:
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)


async def serve(log: Path, certificate: str = "") -> None:
    more: dict[str, Any] = {}
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        more = {"tls_context": context, "require_starttls": True}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(log), loop=loop, **more), "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), *sys.argv[2:3]))
