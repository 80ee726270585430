import json

import pytest

from scoring.training.model_versions.files import without_paths

CONFIG = {
    "settings": {"encoder": "/srv/data/encoders/tiny", "device": "cpu", "margin": 0.2},
    "encoder": {"name": "/srv/data/encoders/tiny", "layers": 2},
    "warnings": ["Fewer than 20 items / none."],
}
ORIGIN = {"_name_or_path": "/srv/data/encoders/tiny", "architectures": ["BertModel"], "text": {}}


def files(**papers: object) -> dict[str, bytes]:
    return {name.replace("_json", ".json"): json.dumps(p).encode() for name, p in papers.items()}


def test_a_path_becomes_its_last_part_wherever_it_stands() -> None:
    given = files(config_json=CONFIG, encoder_config_json=ORIGIN)
    given["README.md"] = "Trained from /srv/data/encoders/tiny, é.".encode()
    found = without_paths(given)
    config = json.loads(found["config.json"])
    assert config["settings"] == {"encoder": "tiny", "device": "cpu", "margin": 0.2}
    assert config["encoder"] == {"name": "tiny", "layers": 2}
    assert config["warnings"] == CONFIG["warnings"]
    assert json.loads(found["encoder_config.json"]) == {"architectures": ["BertModel"], "text": {}}
    assert found["README.md"].decode() == "Trained from tiny, é."


def test_the_card_loses_a_path_that_only_the_note_of_an_origin_holds() -> None:
    given = files(encoder_config_json={"text": {"_name_or_path": "/home/rita/tiny"}})
    found = without_paths(given | {"README.md": b"From /home/rita/tiny."})
    assert found["README.md"] == b"From tiny."


@pytest.mark.parametrize(
    "path", ["~/encoders/tiny", "../tiny", "./tiny", "C:\\models\\tiny", "C:/models/tiny"]
)
def test_every_kind_of_path_is_known(path) -> None:
    found = without_paths(files(config_json={"encoder": path}))
    assert json.loads(found["config.json"]) == {"encoder": "tiny"}


@pytest.mark.parametrize("name", ["default", "allenai/longformer-base-4096", "/", "", "1/2"])
def test_what_is_no_path_leaves_the_files_as_they_are(name) -> None:
    assert without_paths(files(config_json={"encoder": name})) == {}
    assert without_paths({"model.safetensors": b"/srv"}) == {}
