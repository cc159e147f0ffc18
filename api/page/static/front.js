// Keeps the list of liveblogs up to date, as long as somebody can see it.

import { localise } from "./times.js";

const EVERY = 10000; // milliseconds
const list = document.querySelector("main");
let shown = null; // what the list was made of
let timer = null;

function show(html) {
  if (html === shown) return;
  shown = html;
  const focused = document.activeElement?.getAttribute("href");
  const parsed = new DOMParser().parseFromString(html, "text/html").body;
  localise(parsed, document.documentElement.lang);
  list.replaceChildren(...parsed.childNodes);
  if (focused) [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
}

async function update() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const address = new URL(location.href);
    address.hash = "";
    address.searchParams.set("fragment", "1");
    const response = await fetch(address, { cache: "no-cache", signal: AbortSignal.timeout(EVERY) });
    if (response.ok) show(await response.text());
  } catch {
    // The next attempt may succeed.
  }
  clearTimeout(timer);
  timer = setTimeout(update, EVERY * (0.75 + Math.random() / 2));
}

document.addEventListener("visibilitychange", update);
addEventListener("online", update);
localise(list, document.documentElement.lang);
timer = setTimeout(update, EVERY);
