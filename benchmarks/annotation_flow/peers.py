"""Makes the virtual environments in which the peers live, outside the project."""

import subprocess
import sys
from pathlib import Path

PINS = {
    # Its own requirements let in versions of these with which it does not start.
    "doccano": ("doccano==1.8.4", "marshmallow==3.26.1", "numpy==1.26.4"),
    "label-studio": ("label-studio==1.23.2",),
}
LONGEST_INSTALL_SECONDS = 1800


def environment_of(name: str, peers: Path) -> Path:
    """Return the virtual environment of a peer, installed now when it is not there."""
    home, pins = peers.resolve() / name, PINS[name]
    done = home / "installed"
    if not done.exists():
        print(f"installing {' '.join(pins)} into {home} ...", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", str(home)])
        _run([str(home / "bin" / "pip"), "install", "--quiet", *pins])
        done.write_text("\n".join(pins), encoding="utf-8")
    elif done.read_text(encoding="utf-8") != "\n".join(pins):
        raise RuntimeError(f"{home} holds other versions than {' '.join(pins)}; remove it")
    return home


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST_INSTALL_SECONDS, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr[-1500:]}")
