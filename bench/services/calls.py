"""Answers of models, kept by what was asked, so that a run can be repeated without a key."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.trace import Usage

SCHEMA = 1  #: of the files; part of their names
FOLDER = Path("results/calls")

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, and what was billed for it."""

    text: str
    usage: Usage
    finish: str = ""  #: why the model stopped, in the provider's word


class Calls:
    """Answers in a folder, one file each, named by a hash of the request."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder

    def find(self, request: Request) -> Answer | None:
        """The answer that was kept for a request."""
        path = self._file(request)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))["answer"]
            return Answer(kept["text"], Usage(**kept["usage"]), kept["finish"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BenchError(
                f"a recorded answer cannot be read ({type(error).__name__})",
                where=str(path),
                hint="delete the file to have it asked for again",
            ) from None

    def keep(self, request: Request, answer: Answer) -> None:
        """Keep an answer; never an error, never a blank one."""
        if not answer.text.strip():
            return
        path = self._file(request)
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {
            "schema": SCHEMA,
            "asked": datetime.now(UTC).isoformat(timespec="seconds"),
            "request": request,
            "answer": asdict(answer),
        }
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        unfinished.write_text(
            json.dumps(document, indent=1, ensure_ascii=True) + "\n", encoding="utf-8"
        )
        unfinished.replace(path)

    def _file(self, request: Request) -> Path:
        asked = json.dumps([SCHEMA, request], sort_keys=True, ensure_ascii=True)
        return self.folder / f"{sha256(asked.encode()).hexdigest()[:40]}.json"
