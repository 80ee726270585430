"""Model and encoder directories as somebody with bad intent would leave them (MA08-MA24)."""

import hashlib
import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, save

MODULE = "import os\nos.system('true')\n"


class Evil:
    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.place), "w")


def manifest_digest(directory: Path) -> str:
    return hashlib.sha256((directory / "MANIFEST.json").read_bytes()).hexdigest()


def vouch(directory: Path, name: str, content: bytes) -> None:
    """Put content in place of a file, with a manifest that vouches for it."""
    (directory / name).write_bytes(content)
    manifest = json.loads((directory / "MANIFEST.json").read_bytes())
    manifest["sha256"][name] = hashlib.sha256(content).hexdigest()
    (directory / "MANIFEST.json").write_text(json.dumps(manifest))


def vouch_json(directory: Path, file: str, **changes: Any) -> None:
    content = json.loads((directory / file).read_bytes()) | changes
    vouch(directory, file, json.dumps(content).encode())


def with_weights(directory: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    tensors = load((directory / "model.safetensors").read_bytes())
    vouch(directory, "model.safetensors", save(change(tensors)))


def name_first_tensor_twice(directory: Path) -> None:
    data = (directory / "model.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length].strip()
    first = json.dumps(next(iter(json.loads(header).items())))[1:-1].replace(",", ":", 1)
    twice = header[:-1] + b"," + first.encode() + b"}"
    vouch(
        directory,
        "model.safetensors",
        len(twice).to_bytes(8, "little") + twice + data[8 + length :],
    )


def link_out(directory: Path, name: str) -> None:
    elsewhere = shutil.copy(directory / name, directory.with_suffix(f".{name}"))
    (directory / name).unlink()
    (directory / name).symlink_to(elsewhere)


def pickle_instead(directory: Path, place: Path) -> None:
    (directory / "model.safetensors").unlink()
    torch.save({"w": Evil(place)}, directory / "pytorch_model.bin")


def infinite(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: torch.full_like(tensor, float("inf")) for name, tensor in tensors.items()}


def not_a_number(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: torch.full_like(tensor, float("nan")) for name, tensor in tensors.items()}


def name_out(directory: Path) -> None:
    manifest = json.loads((directory / "MANIFEST.json").read_bytes())
    manifest["sha256"]["../secret"] = "0" * 64
    (directory / "MANIFEST.json").write_text(json.dumps(manifest))


def lengthen(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)


def bring_code(directory: Path, file: str) -> None:
    """Ask for a module that lies beside, as hub models do."""
    (directory / "modeling_evil.py").write_text(MODULE)
    there = json.loads((directory / file).read_bytes())
    names = ("AutoConfig", "AutoModel", "AutoTokenizer")
    there["auto_map"] = dict.fromkeys(names, "modeling_evil.Evil")
    (directory / file).write_text(json.dumps(there))


Damage = Callable[[Path, Path], object]

# By id: what is done to a directory, given a place where code that ran would leave a file. The
# registered digest is that of the manifest afterwards: as if it had been registered so.
REGISTERED_SO: dict[str, Damage] = {
    "MA09 weights that are not a number": lambda d, m: with_weights(d, not_a_number),
    "MA09 infinite weights": lambda d, m: with_weights(d, infinite),
    "MA10 a tensor named twice": lambda d, m: name_first_tensor_twice(d),
    "MA10 a tensor left out": lambda d, m: with_weights(
        d, lambda found: dict(list(found.items())[1:])
    ),
    "MA11 no weights at all": lambda d, m: vouch(d, "model.safetensors", b""),
    "MA12 pickle beside": lambda d, m: (d / "model.pkl").write_bytes(pickle.dumps(Evil(m))),
    "MA12 joblib beside": lambda d, m: (d / "head.joblib").write_bytes(pickle.dumps(Evil(m))),
    "MA12 pt beside": lambda d, m: torch.save({"w": Evil(m)}, d / "model.pt"),
    "MA12 bin instead": pickle_instead,
    "MA13 pickle named safetensors": lambda d, m: vouch(
        d, "model.safetensors", pickle.dumps(Evil(m))
    ),
    "MA13 pickle named json": lambda d, m: vouch(d, "config.json", pickle.dumps(Evil(m))),
    "MA14 config is a link": lambda d, m: link_out(d, "config.json"),
    "MA14 weights are a link": lambda d, m: link_out(d, "model.safetensors"),
    "MA15 hidden size 10^9": lambda d, m: vouch_json(d, "encoder_config.json", hidden_size=10**9),
    "MA15 10^6 layers": lambda d, m: vouch_json(d, "encoder_config.json", num_hidden_layers=10**6),
    "MA15 negative size": lambda d, m: vouch_json(d, "encoder_config.json", hidden_size=-1),
    "MA15 size is text": lambda d, m: vouch_json(d, "encoder_config.json", vocab_size="9" * 99),
    "MA15 config of 50 MB": lambda d, m: lengthen(d / "config.json", 50_000_000),
    "MA15 deep config": lambda d, m: vouch(d, "config.json", b"[" * 10_000 + b"]" * 10_000),
    "MA16 tokenizer of 1 GB": lambda d, m: lengthen(d / "tokenizer.json", 1 << 30),
    "MA16 tokenizer is no tokenizer": lambda d, m: vouch(d, "tokenizer.json", b'{"model": 1}'),
    "MA16 jinja template beside": lambda d, m: (d / "chat_template.jinja").write_text(
        "{{ cycler.__init__.__globals__.os.system('true') }}"
    ),
    "MA17 unknown kind of encoder": lambda d, m: vouch_json(
        d, "encoder_config.json", model_type="evil"
    ),
    "MA17 code beside": lambda d, m: bring_code(d, "encoder_config.json"),
    "MA18 manifest names a file outside": lambda d, m: name_out(d),
    "MA24 newer format": lambda d, m: vouch_json(d, "config.json", format=2),
}

# The same for a directory from which an encoder is read.
ENCODERS: dict[str, Damage] = {
    "MA12 encoder, bin beside": lambda d, m: torch.save({"w": Evil(m)}, d / "pytorch_model.bin"),
    "MA12 encoder, bin instead": pickle_instead,
    "MA13 encoder, pickle named safetensors": lambda d, m: (d / "model.safetensors").write_bytes(
        pickle.dumps(Evil(m))
    ),
    "MA15 encoder, hidden size 10^9": lambda d, m: change_json(
        d / "config.json", hidden_size=10**9
    ),
    "MA15 encoder, config of 50 MB": lambda d, m: lengthen(d / "config.json", 50_000_000),
    "MA16 encoder, tokenizer of 1 GB": lambda d, m: lengthen(d / "tokenizer.json", 1 << 30),
    "MA17 encoder, code beside": lambda d, m: bring_code(d, "config.json"),
    "MA17 encoder, tokenizer code beside": lambda d, m: bring_code(d, "tokenizer_config.json"),
}


def change_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))
