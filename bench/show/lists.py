"""What there is: strategies, scenarios, and what a session file holds."""

from __future__ import annotations

from collections import Counter

from rich import box
from rich.table import Table

from bench import catalogue, registry
from bench.show.tables import thousands
from bench.trace import Trace


def strategies() -> Table:
    """Every strategy and rung, with its first sentence and its parameters."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("strategy", "native", "parameters", "what it does"):
        table.add_column(name, overflow="fold")
    for kind, package in (("", registry.PACKAGE), ("rung", f"{registry.PACKAGE}.rungs")):
        for name in registry.names(package):
            made = registry.strategy(name)
            fields = registry.parameters(type(made))
            table.add_row(
                f"{name} ({kind})" if kind else name,
                thousands(made.native) if made.native else "",
                ", ".join(f"{spec.name}={getattr(made, spec.name)}" for spec in fields),
                (type(made).__doc__ or "").strip().split("\n")[0].replace("``", ""),
            )
    return table


def scenarios() -> Table:
    """Every scenario, with its size."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("scenario", "steps", "windows", "probes", "what it is"):
        table.add_column(name, overflow="fold")
    for slug in catalogue.slugs():
        (scenario,) = catalogue.scenarios(slug)
        table.add_row(
            slug,
            str(scenario.trace.steps),
            ", ".join(map(thousands, scenario.windows)),
            str(len(scenario.probes)),
            scenario.title,
        )
    return table


def imported(trace: Trace) -> str:
    """What was read of a session, what it had forgotten itself, and what was mended."""
    roles = Counter(message.role for message in trace.messages)
    calls = sum(len(message.calls) for message in trace.messages)
    lines = [
        f"{trace.id}: {trace.source}, model {trace.model or 'unknown'}",
        f"  {trace.steps} steps, {len(trace.messages)} messages "
        f"({', '.join(f'{count} {role}' for role, count in sorted(roles.items()))}), "
        f"{calls} calls, {len(trace.events)} file events",
    ]
    for compaction in trace.compactions:
        before = compaction.tokens_before
        lines.append(
            f"  compacted ({compaction.trigger or 'unknown trigger'}) before "
            f"{compaction.before or 'the end'}, "
            f"{'size unknown' if before is None else f'{before} tokens'}"
        )
    lines.extend(f"  repaired {repair.where}: {repair.why}" for repair in trace.repairs)
    return "\n".join(lines)
