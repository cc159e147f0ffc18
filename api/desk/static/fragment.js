// A part of the page that the server makes: requested again and again while the page is seen, put in row by row.

import { send, showTimes } from "./desk.js";

const EVERY = 5_000;
/** Milliseconds between two requests that wait for something new themselves. */
const AT_ONCE = 100;

/**
 * Keeps the element up to date with what `path` gives for the query in `data-query`. `changed` is called after each change,
 * `state` with whether the service answers; `waits`: the service holds the request until there is something new. Gives a
 * function that requests it at once.
 */
export function keepUpToDate(element, path, { changed = () => {}, state = () => {}, waits = false } = {}) {
  let timer;
  let held = null;
  let running = Promise.resolve();

  async function load(anew) {
    const headers = element.dataset.etag ? { "If-None-Match": element.dataset.etag } : {};
    if (anew) headers["Cache-Control"] = "no-cache";
    held = waits && !anew ? new AbortController() : null;
    const query = held ? `${element.dataset.query}&wait=1` : element.dataset.query;
    const response = await send(`${path}?${query}`, { headers, signal: held?.signal });
    if (response.status === 304) return true;
    if (!response.ok) return false;
    const html = await response.text();
    element.dataset.etag = response.headers.get("ETag") ?? "";
    putIn(element, new DOMParser().parseFromString(html, "text/html").body);
    showTimes(element);
    changed();
    return true;
  }

  async function request(anew) {
    clearTimeout(timer);
    let well = false;
    try {
      well = await load(anew);
    } catch {
      well = false;
    }
    state(well || Boolean(held?.signal.aborted));
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(next, waits && well ? AT_ONCE : EVERY);
  }

  function next(anew = false) {
    if (anew) held?.abort();
    running = running.then(() => request(anew));
    return running;
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : next()));
  // A form that leaves the page ends what the page asks: after a sign-out it would be refused.
  addEventListener("submit", (event) => event.defaultPrevented || clearTimeout(timer));
  timer = setTimeout(next, waits ? AT_ONCE : EVERY);
  return () => next(true);
}

/** What has the focus, so that it can have it again in a row that is replaced. */
function focused(element) {
  const active = document.activeElement;
  const row = active?.closest?.("[data-key]");
  if (!row || !element.contains(row)) return null;
  const inside = [...row.querySelectorAll("a, button")].indexOf(active);
  return { key: row.dataset.key, inside };
}

function focusAgain(element, before) {
  if (before === null) return;
  const row = element.querySelector(`[data-key="${CSS.escape(before.key)}"]`);
  const place = before.inside < 0 ? row : row?.querySelectorAll("a, button")[before.inside];
  if (place && place !== document.activeElement) place.focus({ preventScroll: true });
}

/** Puts the new content in; rows that are as they were stay the elements that they are. */
function putIn(element, made) {
  const before = focused(element);
  const [list, madeList] = [element, made].map((each) => each.querySelector("tbody, ol"));
  if (list && madeList) {
    putRows(list, madeList);
    const parts = [...made.childNodes].map((each) => (each.contains(madeList) ? null : each));
    const holder = [...element.childNodes].find((each) => each.contains(list));
    const at = parts.indexOf(null);
    for (const each of [...element.childNodes]) if (each !== holder) each.remove();
    holder.before(...parts.slice(0, at));
    holder.after(...parts.slice(at + 1));
  } else {
    element.replaceChildren(...made.childNodes);
  }
  focusAgain(element, before);
}

function putRows(list, made) {
  const known = new Map([...list.children].map((each) => [each.dataset.key, each]));
  let place = list.firstElementChild;
  for (const row of [...made.children]) {
    const same = known.get(row.dataset.key);
    known.delete(row.dataset.key);
    const html = row.outerHTML;
    const kept = same && (same.made ?? same.outerHTML) === html ? same : row;
    kept.made = html;
    if (same && kept !== same) {
      if (place === same) place = same.nextElementSibling;
      same.remove();
    }
    if (kept === place) place = place.nextElementSibling;
    else list.insertBefore(kept, place);
  }
  for (const each of known.values()) each.remove();
}
