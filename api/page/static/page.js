// The page of a liveblog: keeps it and the page's title up to date.

import { Liveblog } from "./liveblog.js";

// An address of a post that the page does not show, from before it was that old, leads to another page.
const name = decodeURIComponent(location.hash.slice(1));
const parameters = new URLSearchParams(location.search);
if (name && !document.getElementById(name) && !parameters.has("post")) {
  parameters.set("post", name);
  location.replace(`?${parameters}${location.hash}`);
} else {
  const liveblog = new Liveblog(document.getElementById("liveblog"), location.href);
  liveblog.addEventListener("change", ({ detail }) => {
    document.title = detail.title;
  });
  liveblog.start();
}
