// The page of a liveblog: keeps it and the page's title up to date.

import { Liveblog } from "./liveblog.js";

const element = document.getElementById("liveblog");
const stream = new URL(element.dataset.stream, location.href);
stream.search = location.search;

const liveblog = new Liveblog(element, { page: location.href, stream });
liveblog.addEventListener("change", ({ detail }) => {
  document.title = detail.title;
});
liveblog.start();
