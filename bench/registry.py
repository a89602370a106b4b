"""Strategies by name: found as files, described by a spec string, labelled the same way."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from importlib import import_module, util
from math import isfinite
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, get_args, get_type_hints

from bench.errors import BenchError, one_line
from bench.ladder import Ladder
from bench.strategy import Strategy

PACKAGE = "strategies"
LARGEST = 1e15  #: a parameter beyond it is a slip of the finger

_SPEC = re.compile(r"(?P<name>[^\[\]]+?)(?:\[(?P<params>[^\[\]]*)\])?")


def names(package: str = PACKAGE) -> tuple[str, ...]:
    """Names of the strategies (or rungs) that lie in a package, without importing them."""
    found = util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise BenchError(
            f"the package {package!r} is not installed beside bench",
            hint="run: pip install -e . in a clone of the project",
        )
    folder = Path(found.submodule_search_locations[0])
    if package == PACKAGE and folder.parent != Path(__file__).parents[1]:
        raise BenchError(
            "another distribution has installed a package of this name",
            where=str(folder),
            hint="use a separate virtual environment",
        )
    files = (path.stem for path in folder.glob("*.py"))
    return tuple(sorted(stem.replace("_", "-") for stem in files if not stem.startswith("_")))


def strategy(spec: str) -> Strategy:
    """The strategy that a spec describes.

    ``name``, ``name[param=value,...]``, ``path.py:Class[...]``; ``name@source`` for a rung that
    works on arrival; ``ladder:a>b[...]>c`` or ``ladder[...]:a>b>c`` for a ladder of any order.
    """
    ladder = re.fullmatch(r"ladder(\[[^\[\]]*\])?:(.*)", spec.strip(), re.DOTALL)
    if ladder is None:
        return _single(spec)
    steps = [step for step in ladder[2].split(">") if step.strip()]
    if not steps:
        raise BenchError(
            "a ladder needs rungs", where=spec, hint="for instance ladder:truncate>prune>summarise"
        )
    rungs = tuple(_single(step) for step in steps)
    params = _params(Ladder, (ladder[1] or "[]")[1:-1], spec)
    return Ladder(rungs=rungs, **params)


def label(strategy: Strategy) -> str:
    """The shortest spec that describes a strategy: only parameters that were changed."""
    changed = []
    for spec in parameters(type(strategy)):
        value = getattr(strategy, spec.name)
        if value != _default(spec):
            changed.append(f"{spec.name}={_written(value)}")
    params = f"[{','.join(changed)}]" if changed else ""
    if type(strategy) is Ladder:
        return f"ladder{params}:{'>'.join(label(rung) for rung in strategy.rungs)}"
    module = sys.modules[type(strategy).__module__]
    if module.__name__.partition(".")[0] == PACKAGE:
        return module.__name__.rpartition(".")[2].replace("_", "-") + params
    return f"{module.__file__}:{type(strategy).__name__}{params}"


def parameters(kind: type[Strategy]) -> tuple[Field[Any], ...]:
    """The fields of a strategy that a spec may set."""
    declared = [spec for spec in fields(kind) if spec.init and spec.name != "rungs"]
    scales = issubclass(kind, Ladder) or any(spec.metadata.get("scaled") for spec in declared)
    return tuple(spec for spec in declared if scales or spec.name != "scale")


def _single(spec: str) -> Strategy:
    found = _SPEC.fullmatch(spec.strip())
    if found is None:
        raise BenchError(
            f"cannot read the strategy {spec!r}", hint="write name or name[param=value,...]"
        )
    name, at, place = found["name"].strip(), "", ""
    if ".py" not in name:
        name, at, place = name.partition("@")
    kind = _from_file(name) if ".py" in name else _from_name(name)
    params = _params(kind, found["params"] or "", spec)
    if at:
        if place != "source" or not any(field.name == "source" for field in parameters(kind)):
            raise BenchError(f"{name} cannot work at {place!r}", hint="only truncate@source can")
        params["source"] = True
    try:
        return kind(**params)
    except BenchError:
        raise
    except Exception as error:
        raise BenchError(f"{type(error).__name__}: {one_line(error)}", where=spec) from error


def _from_name(name: str) -> type[Strategy]:
    for package in (PACKAGE, f"{PACKAGE}.rungs"):
        if name in names(package):
            return _only_class(import_module(f"{package}.{name.replace('-', '_')}"))
    known = (*names(), *names(f"{PACKAGE}.rungs"))
    close = get_close_matches(name, known, n=1)
    guess = f"did you mean {close[0]}? " if close else ""
    raise BenchError(
        f"no strategy called {name!r}",
        hint=f"{guess}there are {', '.join(known)}; to add one, put a file in strategies/ "
        "or pass path/to/file.py:Class",
    )


def _from_file(place: str) -> type[Strategy]:
    file, _, name = place.rpartition(":") if ".py:" in place else (place, "", "")
    path = Path(file)
    try:
        known = path.is_file()
    except OSError:
        known = False
    if not known:
        raise BenchError("no such file", where=one_line(file), hint="write path/to/file.py:Class")
    module_name = f"_strategy_{path.stem}_{abs(hash(path.resolve()))}"
    found = util.spec_from_file_location(module_name, path)
    if found is None or found.loader is None:
        raise BenchError("not a Python file", where=file)
    module = sys.modules[module_name] = util.module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BenchError(f"{type(error).__name__}: {one_line(error)}", where=file) from error
    if not name:
        return _only_class(module)
    kind = getattr(module, name, None)
    if not (inspect.isclass(kind) and issubclass(kind, Strategy)):
        classes = ", ".join(kind.__name__ for kind in _classes(module)) or "none"
        raise BenchError(f"no strategy class {name!r}", where=file, hint=f"there is: {classes}")
    return kind


def _only_class(module: ModuleType) -> type[Strategy]:
    classes = list(_classes(module))
    if len(classes) != 1:
        raise BenchError(
            f"{len(classes)} strategy classes in one file",
            where=str(module.__file__),
            hint="define one, or name it: path/to/file.py:Class",
        )
    return classes[0]


def _classes(module: ModuleType) -> Iterator[type[Strategy]]:
    for kind in vars(module).values():
        if (
            inspect.isclass(kind)
            and issubclass(kind, Strategy)
            and kind.__module__ == module.__name__
        ):
            yield kind


def _params(kind: type[Strategy], text: str, where: str) -> dict[str, Any]:
    known = {spec.name: spec for spec in parameters(kind)}
    if not text.strip():
        return {}
    try:
        hints = get_type_hints(kind)
    except Exception as error:
        raise BenchError(
            f"the types of its fields cannot be read: {one_line(error)}", where=where
        ) from error
    params: dict[str, Any] = {}
    for pair in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = (piece.strip() for piece in pair.partition("="))
        if name not in known or not equals:
            raise BenchError(
                f"no parameter {name!r}", where=where, hint=f"there are {', '.join(known)}"
            )
        params[name] = _value(value, hints[name], f"{where}: {name}")
    return params


def _value(text: str, hint: Any, where: str) -> Any:
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if NoneType in kinds and text.lower() in ("none", "null"):
        return None
    if bool in kinds and text.lower() in ("true", "on", "false", "off"):
        return text.lower() in ("true", "on")
    for kind in (int, float, str):
        if kind in kinds:
            try:
                value = kind(text.replace("_", "")) if kind is not str else text
            except ValueError:
                continue
            if isinstance(value, str) or (isfinite(value) and abs(value) < LARGEST):
                return value
    wanted = " or ".join(sorted(getattr(kind, "__name__", str(kind)) for kind in kinds))
    raise BenchError(f"{text!r} is not {wanted}", where=where)


def _default(spec: Field[Any]) -> Any:
    return spec.default if spec.default_factory is MISSING else spec.default_factory()


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else repr(value) if isinstance(value, float) else str(value)
