"""Three hosts, each with a data directory of its own, and what people do on the first of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from annotator.accounts.sessions import create_token
from annotator.models import User
from clients.patclaimeval_client import FINAL, Client
from core.jobs.rows import JobRow, JobStatus
from scoring.models import Freeze
from tests.conftest import grant, make_user
from tests.flows.programs import Programs, wait_until
from tests.promises.harness import Tab
from tests.scoring.conftest import RatedCampaign, make_campaign
from tests.scoring.retraining.conftest import write_claims

# The web server with the sweeper, a worker of imports and reports, a worker of trainings.
HOSTS: Final = ("web", "desk", "gpu")
CRITERION: Final = "feature_completeness"
REFERENCES: Final = 12
FREEZE: Final = {
    "policy": "settled",
    "tie_band": "0",
    "split_by": "reference",
    "test_share": "0.3",
    "validation_share": "0.2",
    "seed": "1",
    "include_unlocked": "on",
}


class PatientClient(Client):
    """A program that waits for a job as long as a test waits for anything, and no longer."""

    def wait(self, url: str, job: dict[str, Any], *, pause: float = 0.5) -> dict[str, Any]:
        wait_until(lambda: self._call("GET", url)["status"] in FINAL, f"the end of {url}")
        found: dict[str, Any] = super().wait(url, self._call("GET", url), pause=pause)
        return found


class Installation:
    """Programs on three hosts that share the test's database, broker and bucket."""

    def __init__(self, folder: Path, bucket: Mapping[str, str]) -> None:
        self.data = {name: folder / name / "data" for name in HOSTS}
        self._programs: dict[str, Programs] = {}
        for name, data in self.data.items():
            data.mkdir(parents=True, mode=0o700)
            self._programs[name] = Programs(folder / name, DATA_DIR=str(data), **bucket)
        self.rated: RatedCampaign = write_a_campaign()
        self.people = {
            "ada": grant(make_user("ada", is_superuser=True), self.rated.campaign, "admin"),
            "rita": grant(make_user("rita"), self.rated.campaign, "researcher"),
        }

    def start(self) -> None:
        """Start all programs, and wait until the web server answers."""
        self._programs["desk"].start_worker("worker", "web")
        self._programs["gpu"].start_worker("worker", "gpu")
        self._programs["web"].start_sweeper()
        self.port = self._programs["web"].start_web("web")

    def end(self) -> None:
        for programs in self._programs.values():
            programs.end()

    def run(self, host: str, *command: str, is_well: bool = True) -> str:
        """Carry out a command of `manage.py` on a host; return what it printed."""
        return self._programs[host].run(command[0], *command, is_well=is_well)

    def files(self, host: str) -> list[str]:
        """Return what lies in the data directory of a host, in order."""
        root = self.data[host]
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())

    def client(self, name: str) -> Client:
        """Return somebody's program, which calls the web server."""
        token = create_token(user=self.people[name], scope="write", days=1).token
        return PatientClient(f"http://127.0.0.1:{self.port}", token)

    def tab(self, user: User | str) -> Tab:
        """Return somebody's browser."""
        return Tab(self.people[user] if isinstance(user, str) else user, self.port)

    def freeze(self, **more: str) -> Freeze:
        """Ask for a freeze; a worker carries it out."""
        asked = FREEZE | {"campaign": self.rated.campaign.slug, "criteria": CRITERION} | more
        answer = self.tab("ada").post("/datasets/freeze/", asked)
        assert answer.status == 303, answer.body
        return Freeze.objects.latest("created_at")


def write_a_campaign() -> RatedCampaign:
    """Return a campaign that is rated, so that freezing and training make sense."""
    rated = make_campaign(REFERENCES)
    write_claims(rated)
    return rated.rate_all()


def ends(row: JobRow, status: JobStatus = JobStatus.SUCCEEDED) -> Any:
    """Wait until a job ends as it should; return it."""

    def has_ended() -> bool:
        row.refresh_from_db()
        return row.is_final

    wait_until(has_ended, f"the end of {row.kind()}")
    assert row.status == status, row.message
    return row
