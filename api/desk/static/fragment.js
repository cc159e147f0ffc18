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

const STOPS = "a, button, input";

/** What has the focus, so that it can have it again in a row that is replaced. */
function focused(element) {
  const active = document.activeElement;
  const row = active?.closest?.("[data-key]");
  if (!row || !element.contains(row)) return null;
  const inside = [...row.querySelectorAll(STOPS)].indexOf(active);
  return { key: row.dataset.key, inside };
}

function focusAgain(element, before) {
  if (before === null) return;
  const row = element.querySelector(`[data-key="${CSS.escape(before.key)}"]`);
  const place = before.inside < 0 ? row : row?.querySelectorAll(STOPS)[before.inside];
  if (place && place !== document.activeElement) place.focus({ preventScroll: true });
}

const LIST = "tbody, ol";

/** Puts the new content in; rows that are as they were stay the elements that they are. */
function putIn(element, made) {
  const before = focused(element);
  putAround(element, made);
  focusAgain(element, before);
}

/** Replaces what lies around the lists, where both have the same ones, and the rows of each list one by one. */
function putAround(place, made) {
  if (place.matches(LIST)) return putRows(place, made);
  const holds = (each) => each.nodeType === Node.ELEMENT_NODE && (each.matches(LIST) || each.querySelector(LIST));
  const [old, fresh] = [place, made].map((each) => [...each.childNodes].filter(holds));
  if (!old.length || old.length !== fresh.length || old.some((each, at) => each.id !== fresh[at].id)) {
    return place.replaceChildren(...made.childNodes);
  }
  for (const each of [...place.childNodes]) if (!old.includes(each)) each.remove();
  let at = 0;
  for (const each of [...made.childNodes]) {
    if (each === fresh[at]) putAround(old[at++], each);
    else if (at < old.length) old[at].before(each);
    else place.append(each);
  }
  return undefined;
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
