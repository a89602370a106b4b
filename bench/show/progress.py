"""How far a run is: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from bench.measure.columns import CellRow, PassRow
from bench.show.tables import money, thousands, window


@dataclass
class Progress:
    """Cells done, dollars so far and time left, on a console that is not the result's."""

    console: Console
    total: int
    verbose: bool = False
    done: int = 0
    dollars: float = 0.0

    def __enter__(self) -> Self:
        self._started = monotonic()
        self._live = (
            Live(self._line(), console=self.console, transient=True)
            if self.console.is_terminal
            else None
        )
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()

    def finished(self, row: CellRow) -> None:
        """Count a finished cell."""
        self.done += 1
        self.dollars += row.dollars or 0.0
        if self._live:
            self._live.update(self._line())
        else:
            self.console.print(
                f"{self.done}/{self.total} {row.scenario} {row.strategy} "
                f"{window(row.limit)}: {row.status}, "
                f"{row.passes} passes, ${money(row.dollars)}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )

    def compacted(self, label: str, row: PassRow) -> None:
        """Show a pass as its user would be told of it."""
        if not self.verbose:
            return
        line = (
            f"{label} step {row.step}: pass {row.number} ({row.reason}) {row.outcome}, "
            f"{thousands(row.before)} -> {thousands(row.after)}, kept {row.kept}, "
            f"moved {len(row.moved)}, copied {len(row.copied)}, rewrote {len(row.rewritten)}, "
            f"dropped {len(row.dropped)}, wrote {len(row.written)}"
        )
        stages = [f"{name} {thousands(was)} -> {thousands(now)}" for name, was, now in row.rungs]
        for text in (line, ", ".join(stages), *row.notices, row.detail, *row.invalid):
            if text:
                indent = "" if text is line else "  "
                self.console.print(indent + text, markup=False, highlight=False, soft_wrap=True)

    def _line(self) -> Text:
        spent = monotonic() - self._started
        left = f"{spent / self.done * (self.total - self.done):.0f} s left" if self.done else ""
        return Text(
            f"{self.done}/{self.total} cells  ${self.dollars:.2f} simulated  {left}", style="dim"
        )
