// A liveblog in a frame: keeps it up to date, and says its height to the page around it.

import { Liveblog } from "./liveblog.js";

const element = document.getElementById("liveblog");
const page = new URL(`../liveblogs/${encodeURIComponent(element.dataset.name)}`, location.href);
page.search = location.search;
const liveblog = new Liveblog(element, page);
liveblog.start();

function sayHeight() {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  parent.postMessage({ type: "matchwire-height", height }, "*"); // how high a liveblog is, is no secret
}

if (parent !== window) {
  new ResizeObserver(sayHeight).observe(document.documentElement);
  for (const name of ["change", "more"]) liveblog.addEventListener(name, sayHeight); // nothing is observed out of sight
  sayHeight();
  addEventListener("message", ({ source, data }) => {
    if (source === parent && data?.type === "matchwire-measure") sayHeight();
  });
}
