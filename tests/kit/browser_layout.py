"""The pages of every sport, and what measures whether they fit."""

from __future__ import annotations

from api.http.static import file

MEASURE = """() => {
  const faults = [], root = document.documentElement, width = root.clientWidth;
  const seen = (box) => box.width > 1 && box.height > 1, hidden = ".unseen, .unseen *, svg, svg *";
  if (root.scrollWidth > width) faults.push(`scrolls to ${root.scrollWidth}`);
  for (const each of document.querySelectorAll(`body *:not(${hidden})`)) {
    const box = each.getBoundingClientRect(), name = each.className || each.tagName;
    if (seen(box) && (box.left < -0.5 || box.right > width + 0.5)) faults.push(`${name} leaves the page`);
    const block = each.matches("p, h1, h2, h3, b, li, td") && getComputedStyle(each).display !== "inline";
    if (block && each.scrollWidth > each.clientWidth + 1) faults.push(`${name} overflows: ${each.textContent}`);
    const cuts = getComputedStyle(each).overflow !== "visible" && !each.matches("html, body, .slides, .body table");
    const more = each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1;
    if (cuts && more && seen(box)) faults.push(`${name} is cut off`);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node; (node = walker.nextNode());) {
    const around = node.parentElement;
    if (around.matches(hidden) || !around.closest(".board, .sections, .moments h3, .incident, .headline, .squads")) continue;
    for (const { index, 0: word } of node.data.matchAll(/[^\\s-]+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) faults.push(`broken: ${word}`);
    }
  }
  for (const each of document.querySelectorAll(".board, .board *, .post, .post *:not(.slides)")) {
    const cuts = getComputedStyle(each).overflowY !== "visible" && !each.matches(hidden);
    if (cuts && each.scrollHeight > each.clientHeight + 1) faults.push(`${each.className || each.tagName} is cut off`);
  }
  const board = ".board :is(.name, .score > span, .decided, .result, .shootout, .parts, .sets, .state, .facts, .podium li)";
  const parts = document.querySelectorAll(`.crest, ${board}, .sections > *`);
  const boxes = [...parts].map((each) => [each, each.getBoundingClientRect()]).filter(([, box]) => seen(box));
  for (const [at, [one, a]] of boxes.entries()) for (const [other, b] of boxes.slice(at + 1)) {
    const beside = Math.min(a.right, b.right) - Math.max(a.left, b.left) <= 1;
    const apart = beside || Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) <= 1;
    if (!apart) faults.push(`${one.className || one.tagName} lies upon ${other.className || other.tagName}`);
  }
  return faults;
}"""


def styled(inner, locale="en"):
    """A liveblog with its style sheet in a page, so that no server is needed."""
    style = file("api.page.static", "page.css").decode()
    return f'<!doctype html><html lang="{locale}"><title>A</title><style>{style}</style><body><main>{inner}</main></body></html>'
