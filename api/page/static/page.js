// The page of a liveblog: keeps it and the page's title up to date.

import { Liveblog } from "./liveblog.js";

const liveblog = new Liveblog(document.getElementById("liveblog"), location.href);
liveblog.addEventListener("change", ({ detail }) => {
  document.title = detail.title;
});
if (!new URLSearchParams(location.search).has("continue_event_id")) liveblog.start(); // older posts stay what they were
