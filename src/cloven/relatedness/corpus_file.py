"""Trained vectors in one file: a zip archive of NumPy arrays and a JSON header, readable without Cloven."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness.corpus import Corpus, Training

FORMAT = "cloven.corpus-vectors/1"


def save(corpus: Corpus, path: str | Path) -> None:
    """Write words, vectors, parameters, source and date."""
    path = Path(path)
    header = {
        "format": FORMAT,
        "source": corpus.source,
        "date": corpus.date,
        "documents": corpus.documents,
        "training": asdict(corpus.training),
        "words": corpus.words,
    }
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            np.savez(
                file, header=np.frombuffer(json.dumps(header).encode(), np.uint8), vectors=corpus.vectors
            )
        unfinished.replace(path)
    except OSError as fault:
        message = f"cannot write the vectors {path}: {fault.strerror}"
        raise OutputError(message) from fault
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: str | Path) -> Corpus:
    """Read what ``save`` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            header: dict[str, Any] = json.loads(file["header"].tobytes())
            vectors = file["vectors"]
        if header["format"] != FORMAT:
            raise KeyError(FORMAT)
        training = Training(**header["training"])
        corpus = Corpus(
            tuple(header["words"]), vectors, training, header["documents"], header["source"], header["date"]
        )
    except FileNotFoundError:
        message = "there is no such file; train vectors and save them first"
        raise InputError(message, source=str(path)) from None
    except (
        OSError,
        EOFError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        BadZipFile,
        ParameterError,
    ) as fault:
        message = f"not vectors of a corpus ({FORMAT}); train them anew"
        raise InputError(message, source=str(path)) from fault
    if not _sound(corpus):
        message = "the vectors are damaged: they do not fit their words; train them anew"
        raise InputError(message, source=str(path))
    return corpus


def _sound(corpus: Corpus) -> bool:
    """One row of length 1 for each of some distinct words."""
    words, vectors = corpus.words, corpus.vectors
    return (
        vectors.dtype == np.float32
        and vectors.ndim == 2
        and len(vectors) == len(words) == len(set(words)) > 0
        and all(isinstance(word, str) for word in words)
        and bool(np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-3))
    )
