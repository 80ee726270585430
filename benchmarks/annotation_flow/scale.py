"""How large a run is, the same for every application."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Items to annotate, by how many people, and when to stop."""

    items: int
    annotations: int
    annotators: int = 4
    overlap: int = 2
    seconds: float = 600
    # Servers go on loading after their first answer; that is no cost of an annotation.
    settle_seconds: float = 4

    def arguments(self) -> list[str]:
        """Return the arguments of a helper beside the database."""
        return [str(self.items), str(self.annotators), str(self.overlap)]
