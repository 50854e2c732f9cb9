"""Data that come with the package: a clinic of invented patients, and sparse data of any shape."""

from cloven.datasets.baskets import sparse
from cloven.datasets.patients import clinic
from cloven.datasets.samples import sample
from cloven.datasets.shapes import SHAPES, Shape, shaped

__all__ = ["SHAPES", "Shape", "clinic", "sample", "shaped", "sparse"]
