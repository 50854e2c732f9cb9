"""To whom a release goes, why, and what binds those who get it: a small TOML file that the owner writes.

::

    recipient = "The institute of public health"
    purpose = "Which illnesses occur together, for a study of care"
    release = "agreement"               # or "public", "enclave"
    controls = ["A contract forbids to look for persons", "The files lie on an encrypted disk"]
    contact = "privacy@clinic.example"
    threshold = 0.05                    # only to be stricter than the standard, or where it names none
    risk = "average"                    # only where the standard leaves the choice; never of a public release
    review = 2027-06-01                 # look at it again by then
"""

from __future__ import annotations

import datetime
import tomllib
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, get_args

from cloven.errors import InputError, ParameterError
from cloven.intake.files import small_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Model = Literal["public", "agreement", "enclave"]
Judged = Literal["maximum", "average"]
MODELS: Mapping[Model, str] = {
    "public": "everybody may have it",
    "agreement": "named recipients have it, bound by an agreement",
    "enclave": "named recipients work with it in a place that the owner controls",
}
LONGEST = 2_000
"""Characters of a text: it is to be printed on a page that somebody signs."""


@dataclass(frozen=True)
class Context:
    """What no figure of a release says.

    Attributes:
        recipient: who gets it.
        purpose: what for.
        release: how it is given away.
        contact: whom to ask.
        controls: what binds those who get it.
        threshold: largest probability that a person is found; None to go by the standard.
        risk: whether the person who is found most easily is judged, or the mean; None to go by the standard.
        review: the day by which somebody looks at it again.
    """

    recipient: str
    purpose: str
    release: Model
    contact: str
    controls: tuple[str, ...] = ()
    threshold: float | None = None
    risk: Judged | None = None
    review: datetime.date | None = None

    def __post_init__(self) -> None:
        for name in ("recipient", "purpose", "contact"):
            _text(name, getattr(self, name))
        for each in self.controls:
            _text("controls", each)
        _one_of("release", self.release, get_args(Model))
        if self.threshold is not None and not (_is_number(self.threshold) and 0 < self.threshold <= 1):
            message = (
                f"threshold must be above 0 and at most 1, such as 0.09 for 9 % (got {self.threshold!r})"
            )
            raise ParameterError(message)
        if self.risk is not None:
            _one_of("risk", self.risk, get_args(Judged))
        if self.risk == "average" and self.release == "public":
            message = (
                "the average risk is for recipients who are bound; a public release is judged by the maximum,"
                " so leave risk out"
            )
            raise ParameterError(message)
        if self.review is not None and type(self.review) is not datetime.date:
            message = f"review must be a day such as 2027-06-01, without quotes (got {self.review!r})"
            raise ParameterError(message)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        day = None if self.review is None else self.review.isoformat()
        return asdict(self) | {"controls": list(self.controls), "review": day}


KEYS = tuple(field.name for field in fields(Context))
NEEDED = ("recipient", "purpose", "release", "contact")


def read_context(path: str | Path, *, today: datetime.date | None = None) -> Context:
    r"""Read a context file; a day of review before ``today`` (None: by the clock) is refused.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "context.toml")
    ...     _ = path.write_text('recipient = "all"\npurpose = "study"\nrelease = "public"\ncontact = "us"')
    ...     read_context(path).release
    'public'
    """
    text = small_text(path)
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"cannot be read as a context in TOML: {error}"
        raise InputError(" ".join(message.split()), source=str(path)) from error
    return context_of(content, source=str(path), today=today)


def context_of(
    content: Mapping[str, Any], *, source: str | None = None, today: datetime.date | None = None
) -> Context:
    """A context from plain values, as a context file holds them."""
    for name in content:
        if name not in KEYS:
            near = get_close_matches(name, KEYS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(KEYS)}"
            message = f"the context has an unknown setting {name!r}; {hint}"
            raise InputError(message, source=source)
    missing = [name for name in NEEDED if name not in content]
    if missing:
        message = f"the context does not say {missing[0]!r}; it needs {', '.join(NEEDED)}"
        raise InputError(message, source=source)
    controls = content.get("controls", [])
    if not isinstance(controls, list):
        message = "controls must be a list of texts"
        raise InputError(message, source=source, value=str(controls))
    try:
        context = Context(**{**content, "controls": tuple(controls)})
    except ParameterError as error:
        message = f"in the context, {error}"
        raise InputError(message, source=source) from error
    day = today or datetime.datetime.now().astimezone().date()
    if context.review is not None and context.review < day:
        message = (
            f"in the context, review is a day that is past on {day.isoformat()}; name one that is to come"
        )
        raise InputError(message, source=source, value=context.review.isoformat())
    return context


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        message = f"{name} must be a text that is not empty (got {value!r})"
        raise ParameterError(message)
    if len(value) > LONGEST:
        message = f"{name} has more than {LONGEST:,} characters; shorten it (got {len(value):,})"
        raise ParameterError(message)


def _one_of(name: str, value: Any, words: tuple[str, ...]) -> None:
    if value not in words:
        message = f"{name} must be one of {', '.join(words)} (got {value!r})"
        raise ParameterError(message)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
