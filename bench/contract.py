"""What a summary must hold: its sections, its prompt and its size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """One mandatory section of a summary."""

    title: str
    asks: str  #: what belongs there, in a sentence


@dataclass(frozen=True, slots=True)
class Contract:
    """The sections that a summary must fill, with the prompt that asks for them."""

    name: str
    sections: tuple[Section, ...]
    opening: str = "Write a hand-over summary of the conversation so far."
    cap: int | None = None  #: largest summary in tokens, None where the original sets none

    @property
    def prompt(self) -> str:
        """The whole instruction that a summariser is given."""
        lines = [f"{section.title}: {section.asks}" for section in self.sections]
        return "\n".join([self.opening, "Fill every section:", *lines])
