// Makes the frames of this service in a page as high as the liveblogs that they show, without moving what the reader sees: a
// frame changes its height while its end is out of sight, and scrolls until then.

const SERVICE = new URL(import.meta.url).origin;
const HIGHEST = 200000; // pixels
const heights = new Map(); // of the liveblogs, by their frames

// Whether the browser keeps the place by itself when something above it grows.
function anchors() {
  const page = document.scrollingElement ?? document.documentElement;
  return CSS.supports("overflow-anchor", "auto") && getComputedStyle(page).overflowAnchor !== "none";
}

function fit(frame) {
  const height = heights.get(frame);
  const { bottom } = frame.getBoundingClientRect();
  if (!frame.isConnected || frame.offsetHeight === height || (bottom > 0 && bottom < innerHeight)) return;
  frame.style.height = `${height}px`;
  if (bottom > 0 || anchors()) return;
  const moved = frame.getBoundingClientRect().bottom - bottom; // what stands below it stays where it is
  if (moved) scrollBy({ top: moved, behavior: "instant" });
}

function fitAll() {
  for (const frame of heights.keys()) fit(frame);
}

addEventListener("message", ({ origin, source, data }) => {
  if (origin !== SERVICE || data?.type !== "matchwire-height" || !(data.height > 0)) return;
  const frame = [...document.querySelectorAll("iframe")].find((each) => each.contentWindow === source);
  if (!frame) return;
  heights.set(frame, Math.min(data.height, HIGHEST));
  fit(frame);
});
addEventListener("scroll", fitAll, { passive: true, capture: true });
addEventListener("resize", fitAll);

for (const frame of document.querySelectorAll("iframe")) {
  if (!frame.src.startsWith(`${SERVICE}/`)) continue;
  // Not in the snippet: a page's policy may let no style stand in it.
  Object.assign(frame.style, { border: "0", maxWidth: "100%" }, frame.name === "matchwire" ? { width: "100%" } : {});
  frame.contentWindow.postMessage({ type: "matchwire-measure" }, "*");
}
