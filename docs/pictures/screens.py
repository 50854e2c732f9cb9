"""Take the screens of the studio anew: ``PYTHONPATH=. python docs/pictures/screens.py [FOLDER]``.

The sample clinic goes the whole way in Chromium, in a workspace that is thrown away. Needs the group ``browser``.
"""

from __future__ import annotations

import base64
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from reliability.served import Served
from tests.browser.studios import LONG, tab_of

SIZE = {"width": 1180, "height": 760}
COLOURS = 256
PIXELS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))
  const picture = await createImageBitmap(new Blob([bytes]))
  const drawn = new OffscreenCanvas(picture.width, picture.height).getContext("2d")
  drawn.drawImage(picture, 0, 0)
  const reader = new FileReader()
  const read = new Promise((done) => { reader.onload = () => done(reader.result) })
  reader.readAsDataURL(new Blob([drawn.getImageData(0, 0, picture.width, picture.height).data]))
  return [picture.width, picture.height, await read]
}"""


class Camera:
    """Takes pages as they are at a desk, in light colours."""

    def __init__(self, browser: Any, served: Served, folder: Path) -> None:
        self.browser, self.served, self.folder = browser, served, folder

    def take(self, name: str, url: str, at: str = "") -> None:
        """Open a page, go to what is shown, and write its picture."""
        with tab_of(self.browser, self.served) as tab:
            tab.set_viewport_size(SIZE)
            tab.goto(url)
            tab.wait_for_timeout(500)
            if at:
                tab.locator(at).evaluate("(each) => each.scrollIntoView()")
            (self.folder / f"studio-{name}.png").write_bytes(small(tab.screenshot(), tab))


def main(folder: Path) -> None:
    """Go the whole way, and take every screen."""
    with tempfile.TemporaryDirectory() as inside, sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        served = Served(Path(inside) / "ws")
        served.start()
        try:
            _way(browser, served, Camera(browser, served, folder))
        finally:
            served.stop()
            browser.close()


def _way(browser: Any, served: Served, camera: Camera) -> None:
    with tab_of(browser, served) as tab:
        tab.goto(f"{served.origin}/data")
        tab.get_by_role("button", name="Use the sample").click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        data = tab.url
        camera.take("data", data)
        camera.take("protect", f"{data}/protect")
        tab.goto(f"{data}/protect")
        tab.get_by_role("button", name="On to the attackers").click()
        tab.get_by_label("A first look").check()
        tab.get_by_role("button", name="Start the attacks").click()
        tab.locator("#verdict").wait_for(timeout=5 * LONG)
        run = tab.url.removesuffix("/attack")
        camera.take("attack", f"{run}/attack")
        camera.take("decide", run)
        tab.goto(f"{run}/clusters")
        tab.get_by_role("heading", name="Clusters", exact=True).wait_for(timeout=LONG)
        camera.take("inspector", f"{run}/clusters")
        tab.goto(f"{data}/tune")
        tab.get_by_role("button", name="Search").click()
        tab.get_by_role("heading", name="Finished").wait_for(timeout=10 * LONG)
        camera.take("tune", tab.url, at="section:has(> #front)")


# A picture with few colours is a quarter of its size.


def small(png: bytes, tab: Any) -> bytes:
    """The same picture with a palette; the browser reads it."""
    width, height, plain = tab.evaluate(PIXELS, base64.b64encode(png).decode())
    red_to_blue = np.frombuffer(base64.b64decode(plain.partition(",")[2]), np.uint8).reshape(-1, 4)[:, :3]
    flat = red_to_blue.astype(np.int64)
    keys, place, many = np.unique(flat @ np.array([65536, 256, 1]), return_inverse=True, return_counts=True)
    seen = np.stack([keys >> 16, keys >> 8 & 255, keys & 255], axis=1)
    order = np.argsort(-many, kind="stable")
    _, first = np.unique(
        seen[order] >> 4, axis=0, return_index=True
    )  # of colours that look alike the commonest
    both = np.unique(np.concatenate([np.arange(COLOURS // 2), np.sort(first)[: COLOURS // 2]]))
    chosen = seen[order[both[both < len(order)]]]
    nearest = np.concatenate(
        [((some[:, None] - chosen) ** 2).sum(axis=2).argmin(axis=1) for some in np.array_split(seen, 64)]
    )
    rows = nearest[place].reshape(height, width).astype(np.uint8)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", head),
        (b"PLTE", chosen.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(*each) for each in parts)


def _part(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
