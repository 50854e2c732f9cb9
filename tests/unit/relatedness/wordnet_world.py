"""Small copies of WordNet in its own file format, with true byte offsets."""

from __future__ import annotations

from pathlib import Path

LICENCE = "  1 This stands for the licence at the head of each file.  \n"
LETTER = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}

# words of a synset -> (words of hypernyms: "@name" for classes of instances, gloss)
Synsets = dict[str, tuple[list[str], str]]

NOUNS: Synsets = {
    "entity": ([], "all there is"),
    "thing": (["entity"], "what can be touched"),
    "act": (["entity"], "what is done"),
    "treatment": (["act"], "care of the ill"),
    "catheterization catheterisation": (["treatment"], "a tube goes in"),
    "organ": (["thing"], "a part of the body"),
    "vessel blood_vessel": (["organ"], "it carries blood"),
    "vessel ship": (["thing"], "it carries people"),
    "lung": (["organ"], "breathes"),
    "armpit axilla MI": (["organ"], "below the arm"),
    "city": (["thing"], "where people live"),
    "Paris": (["@city"], "the capital of France"),
    "mouse": (["thing"], "a rodent"),
}


def lines(synsets: Synsets, part: str, offsets: dict[str, int]) -> list[str]:
    made = []
    for words, (above, gloss) in synsets.items():
        pointers = "".join(
            f" {'@i' if name[0] == '@' else '@'} {offsets.get(full(synsets, name), 0):08d} {LETTER[part]} 0000"
            for name in above
        )
        head = " ".join(f"{word} 0" for word in words.split())
        start = f"{offsets.get(words, 0):08d} 03 {LETTER[part]} {len(words.split()):02x} {head}"
        made.append(f"{start} {len(above):03d}{pointers} | {gloss}  \n")
    return made


def full(synsets: Synsets, name: str) -> str:
    """Key of the synset that a hypernym is named by: its first word."""
    return next(words for words in synsets if words.split()[0] == name.lstrip("@"))


def write_part(folder: Path, part: str, synsets: Synsets, exceptions: str = "") -> None:
    offsets, at = {}, len(LICENCE)
    for words, line in zip(synsets, lines(synsets, part, {}), strict=True):
        offsets[words] = at
        at += len(line)
    (folder / f"data.{part}").write_text(LICENCE + "".join(lines(synsets, part, offsets)))
    senses: dict[str, list[int]] = {}
    for words, offset in offsets.items():
        for word in words.split():
            senses.setdefault(word.lower(), []).append(offset)
    index = "".join(
        f"{lemma} {LETTER[part]} {len(found)} 1 @ {len(found)} 0 {' '.join(f'{at:08d}' for at in found)}  \n"
        for lemma, found in sorted(senses.items())
    )
    (folder / f"index.{part}").write_text(LICENCE + index)
    (folder / f"{part}.exc").write_text(exceptions)


def write(folder: Path, nouns: Synsets | None = None) -> Path:
    """A whole copy; other parts of speech have one word each."""
    folder.mkdir(exist_ok=True)
    write_part(folder, "noun", NOUNS if nouns is None else nouns, "mice mouse\n")
    write_part(folder, "verb", {"bleed": ([], "to lose blood")}, "bled bleed\n")
    write_part(folder, "adj", {"ill(p) sick": ([], "not well")})
    write_part(folder, "adv", {"well": ([], "in a good way")})
    return folder
