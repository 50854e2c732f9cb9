"""Every block of every page runs, and prints what the page shows."""

from __future__ import annotations

import pytest
from doc_pages import REPOSITORY, agree, blocks_of, pages, run_page

LONG = (
    "attack-a-release.md",
    "audit-a-file.md",
    "choose-k-m-and-cluster-size.md",
    "audit-what-others-made.md",
    "cli.md",
    "anonymise-a-table.md",
    "find-what-the-method-gives-away.md",
    "generalise-sets.md",
    "known-person.md",
    "make-a-report-for-the-file.md",
    "ten-minutes.md",
    "tune-the-settings.md",
    "use-a-release.md",
    "use-from-python.md",
    "what-term-chunks-tell.md",
)  # pages that take seconds to minutes
PAGES = [
    pytest.param(page, marks=[pytest.mark.slow] if page.name in LONG else [])
    for page in pages()
    if any(b.language in ("python", "console") for b in blocks_of(page.read_text()))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_page_runs_and_shows_what_happens(page, tmp_path):
    _, differences = run_page(page.read_text(encoding="utf-8"), tmp_path)
    assert not differences, "\n\n".join(map(str, differences))


def test_runner_notices_a_wrong_output(tmp_path):
    page = "```python\n>>> 1 + 1\n3\n```\n\n```console\n$ cloven --version\ncloven 9\n```\n"
    fresh, differences = run_page(page, tmp_path)
    assert [difference.got.strip() for difference in differences][:1] == ["2"]
    assert len(differences) == 2
    assert run_page(fresh, tmp_path)[1] == []


def test_runner_notices_an_exit_code_that_nobody_expects(tmp_path):
    silent = "```console\n$ cloven describe none.csv\ncloven: none.csv: ...\n```\n"
    assert len(run_page(silent, tmp_path)[1]) == 1
    told = silent.replace("...\n```", "...\n$ echo $?\n3\n```")
    assert run_page(told, tmp_path)[1] == []


def test_files_of_a_page_are_written_and_blocks_share_names(tmp_path):
    page = (
        "```text file=a.txt\nflu,fever\n```\n"
        "```python\nfrom pathlib import Path\ntext = Path('a.txt').read_text()\n```\n"
        "```python\n>>> text\n'flu,fever\\n'\n```\n"
    )
    assert run_page(page, tmp_path) == (page, [])


PAGE_THAT_DRAWS = """```python
>>> 0.5
0.5
>>> import numpy as np
>>> rng = np.random.default_rng(1)
>>> f"{rng.random():.3f} of {2 + 1} people"
'0.123 of 3 people'
```
"""


def test_drawn_figures_may_be_others_and_their_words_and_counts_may_not(tmp_path):
    fresh, differences = run_page(PAGE_THAT_DRAWS, tmp_path)
    assert differences == []
    assert fresh != PAGE_THAT_DRAWS  # the writer shows what is drawn now
    for certain, other in (
        ("0.5\n0.5", "0.5\n0.6"),
        ("of 3 people", "of 4 people"),
        ("people'\n", "rows'\n"),
    ):
        assert len(run_page(PAGE_THAT_DRAWS.replace(certain, other), tmp_path)[1]) == 1


def test_only_what_varies_is_masked():
    assert agree("done  0.2 s", "done 13.4 s")
    assert agree("tKd  0.274 [0.268 - 0.279]", "tKd  0.301 [0.290 - 0.312]")
    assert not agree("57 clusters", "58 clusters")
    assert not agree("tKd chunks  0.436", "tKd chunks  0.437")
