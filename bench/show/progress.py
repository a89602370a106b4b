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
from bench.measure.cost import Prices, bill
from bench.run.result import Result
from bench.show.tables import money, thousands, window


@dataclass
class Progress:
    """Cells done, dollars so far and time left, on a console that is not the result's."""

    console: Console
    total: int
    prices: Prices
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

    def finished(self, result: Result) -> None:
        """Count a finished cell; show its passes if they are wanted."""
        row = result.row
        dollars = bill(row, self.prices).total
        self.done += 1
        self.dollars += dollars or 0.0
        if self._live:
            self._live.update(self._line())
        if self.verbose or not self._live:
            self.say(
                f"{self.done}/{self.total} {row.scenario} {row.strategy} {window(row.limit)}: "
                f"{row.status}, {row.passes} passes, ${money(dollars)}"
            )
        if self.verbose:
            for one in result.rows.passes:
                for line in told(row, one):
                    self.say(f"  {line}")

    def say(self, line: str) -> None:
        """Print a line above the live one."""
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _line(self) -> Text:
        spent = monotonic() - self._started
        left = f"{spent / self.done * (self.total - self.done):.0f} s left" if self.done else ""
        return Text(
            f"{self.done}/{self.total} cells  ${self.dollars:.2f} simulated  {left}", style="dim"
        )


def told(cell: CellRow, row: PassRow) -> list[str]:
    """A pass as its user would be told of it, and what it did."""
    lines = [
        f"step {row.step}/{cell.steps}: pass {row.number} ({row.reason}) {row.outcome}, "
        f"{thousands(row.before)} -> {thousands(row.after)}, kept {row.kept}, "
        f"moved {len(row.moved)}, copied {len(row.copied)}, rewrote {len(row.rewritten)}, "
        f"dropped {len(row.dropped)}, wrote {len(row.written)}"
    ]
    if row.rungs:
        stages = (f"{name} {thousands(was)} -> {thousands(now)}" for name, was, now in row.rungs)
        lines.append("  rungs: " + ", ".join(stages))
    lines += [f"  notice: {notice}" for notice in row.notices]
    lines += [f"  {row.outcome}: {row.detail}"] if row.detail else []
    lines += [f"  invalid: {fault}" for fault in row.invalid]
    return lines
