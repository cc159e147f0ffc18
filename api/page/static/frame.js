// Makes the frames of this service in a page as high as the liveblogs that they show.

const SERVICE = new URL(import.meta.url).origin;
const HIGHEST = 200000; // pixels

addEventListener("message", ({ origin, source, data }) => {
  if (origin !== SERVICE || data?.type !== "matchwire-height" || !(data.height > 0)) return;
  const frame = [...document.querySelectorAll("iframe")].find((each) => each.contentWindow === source);
  if (frame) frame.style.height = `${Math.min(data.height, HIGHEST)}px`;
});

for (const frame of document.querySelectorAll("iframe")) {
  if (!frame.src.startsWith(`${SERVICE}/`)) continue;
  // Not in the snippet: a page's policy may let no style stand in it.
  Object.assign(frame.style, { border: "0", maxWidth: "100%" }, frame.name === "matchwire" ? { width: "100%" } : {});
  frame.contentWindow.postMessage({ type: "matchwire-measure" }, "*");
}
