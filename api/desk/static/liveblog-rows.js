// The list of posts: what is new is put in where it belongs, and what somebody reads or holds stays where it is.

export const rows = () => [...document.querySelectorAll("#posts .row")];
export const byName = (post) => rows().find((each) => each.dataset.post === post);
export const currentRow = () => document.activeElement?.closest?.("#posts .row");

/** Writes times as the person's own clock has them. */
export function times(within) {
  const forms = { date: { dateStyle: "medium", timeStyle: "short" }, time: { timeStyle: "short" } };
  for (const each of within.querySelectorAll("time[data-form]")) {
    each.textContent = new Intl.DateTimeFormat(document.documentElement.lang, forms[each.dataset.form]).format(new Date(each.dateTime));
    if (each.nextElementSibling?.classList.contains("zone")) each.nextElementSibling.remove();
  }
}

/** Puts the new list in the place of the old one; rows that are the same stay, with focus and all that is open in them. */
export function show(html) {
  const made = document.createElement("div");
  made.innerHTML = html; // made and escaped by the service
  const place = document.getElementById("posts"), focus = focusNow();
  const [list, madeList] = [place, made].map((each) => each.querySelector(".posts"));
  putRows(list, madeList);
  list.dataset.mark = madeList.dataset.mark;
  list.nextElementSibling?.remove();
  list.after(...[madeList.nextElementSibling].filter(Boolean));
  if (focus && document.activeElement !== focus.element) focusAgain(focus);
}

function putRows(list, made) {
  const wanted = new Set([...made.children].map((each) => each.dataset.post));
  const known = new Map();
  for (const each of [...list.children]) {
    if (each.dataset.post !== undefined && wanted.has(each.dataset.post)) known.set(each.dataset.post, each);
    else each.remove();
  }
  let next = list.firstElementChild;
  for (const row of [...made.children]) {
    const before = known.get(row.dataset.post), kept = before && before.dataset.tag === row.dataset.tag ? before : row;
    if (kept === before) for (const { name, value } of row.attributes) before.setAttribute(name, value); // such as its version
    else if (before) {
      keepOpen(before, row);
      if (next === before) next = next.nextElementSibling;
      before.remove();
    }
    if (kept === next) next = next.nextElementSibling;
    else list.insertBefore(kept, next);
    if (kept === row && row.dataset.post !== undefined) times(row);
  }
}

/** Shows or hides what is known of a post; gives whether it is shown now. */
export function unfold(row, open = row.querySelector(".known").hidden) {
  row.querySelector(".known").hidden = !open;
  row.querySelector('[data-action="history"]').setAttribute("aria-expanded", open);
  return open;
}

/** Shows or hides the actions of a post where there is no room for all. */
export function showActions(row, open = !row.classList.contains("open")) {
  row.classList.toggle("open", open);
  row.querySelector('[data-action="more"]').setAttribute("aria-expanded", open);
}

function keepOpen(before, after) {
  unfold(after, !before.querySelector(".known").hidden);
  showActions(after, before.classList.contains("open"));
}

function focusNow() {
  const element = document.activeElement, row = currentRow();
  return row && { element, post: row.dataset.post, action: element.dataset.action, at: rows().indexOf(row) };
}

/** The same button of the same post has the focus again, else the post, else the one that is in its place now. */
function focusAgain({ post, action, at }) {
  const all = rows(), row = byName(post);
  (action && row?.querySelector(`[data-action="${action}"]`) || row || all[Math.min(at, all.length - 1)])?.focus({ preventScroll: true });
}

/** Where the list begins to be seen: below the composer, where that is above it. */
const bar = () => {
  const { top, bottom } = document.getElementById("editor").getBoundingClientRect();
  return top < innerHeight / 2 ? Math.max(bottom, 0) : 0;
};
const topOf = (element) => element.getBoundingClientRect().top;

/** What must not move: the open form that is written in, the post that has the focus, or the first one that is read; null on top. */
function anchor() {
  const form = document.activeElement?.closest?.("#editor");
  if (form) return form;
  const all = rows(), held = currentRow(), above = bar();
  if (held && held !== all[0] && topOf(held) < innerHeight && held.getBoundingClientRect().bottom > above) return held;
  if (all.length === 0 || topOf(all[0]) >= above - 1) return null;
  return all.find((each) => each.getBoundingClientRect().bottom > above) ?? null;
}

/** Does something to the page, and scrolls so that what somebody reads is where it was. */
export function inPlace(change) {
  const held = anchor(), post = held?.dataset.post, before = held && topOf(held);
  change();
  const now = held?.isConnected ? held : byName(post);
  if (now) scrollBy({ top: topOf(now) - before, behavior: "instant" });
}

/** The last post that is seen or has the focus: so far down the list must reach. Empty while somebody is on top. */
export function reachedPost() {
  const all = rows();
  if (anchor()?.dataset.post === undefined) return "";
  const seen = all.findLastIndex((each) => topOf(each) < innerHeight);
  return all[Math.max(seen, all.indexOf(currentRow()))]?.dataset.post ?? "";
}
