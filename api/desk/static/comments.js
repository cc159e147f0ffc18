// The queue of comments: decided by a key or a button, undone by another, and kept up to date.

import { isTyped, isTyping, send } from "./desk.js";
import { keepUpToDate } from "./fragment.js";

const list = document.getElementById("comments");
const said = document.getElementById("said");
const undo = document.getElementById("undo");
const organization = `api/comments/v1/organization/${list.dataset.organization}`;
const BACK = { approved: "approve", rejected: "reject" };
const MADE = { approve: "approved", reject: "rejected" };
const done = [];
let busy = false;

let place = 0;
const refresh = keepUpToDate(list, "desk/comments/list");

const rows = () => [...list.querySelectorAll("ol > li")];
const current = () => document.activeElement?.closest?.("#comments ol > li") ?? null;

function post(path, body) {
  return send(`${organization}/${path}`, { method: "POST", body: JSON.stringify(body) });
}
/** `status`: as it was seen; whoever was faster is not overruled. */
const decide = (id, action, status) => post(`comments/${encodeURIComponent(id)}/moderate.json`, { action, status });
const ban = (reader, banned) => post(`readers/${encodeURIComponent(reader)}/ban.json`, { banned });

/** Sends it, and says how it went; what undoes it is kept. Afterwards the comment in the same place has the focus. */
async function act(text, request, back) {
  if (busy) return;
  busy = true;
  place = Math.max(0, rows().indexOf(current()));
  try {
    const response = await request();
    said.textContent = response.ok ? text : said.dataset.failed;
    if (response.ok && back) done.push(back);
  } catch {
    said.textContent = said.dataset.failed;
  }
  undo.hidden = done.length === 0;
  await refresh();
  busy = false;
  if (current() === null && !isTyping()) rows()[Math.min(place, rows().length - 1)]?.focus();
}

const ACTIONS = {
  approve: (row) => decideRow(row, "approve"),
  reject: (row) => decideRow(row, "reject"),
  ban: (row) => act(said.dataset.ban, () => ban(row.dataset.reader, true), () => ban(row.dataset.reader, false)),
  unban: (row) => act(said.dataset.undo, () => ban(row.dataset.reader, false), () => ban(row.dataset.reader, true)),
};

/** Decides; undone, the comment is again what it is now, and one that nobody had decided waits again. */
function decideRow(row, action) {
  const { key, status } = row.dataset;
  act(said.dataset[action], () => decide(key, action, status), () => decide(key, BACK[status] ?? "wait", MADE[action]));
}

function undoLast() {
  const back = done.pop();
  if (back === undefined) said.textContent = said.dataset.nothing;
  else act(said.dataset.undo, back);
}

function move(step) {
  const all = rows();
  const at = all.indexOf(current());
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))];
  next?.focus();
}

const KEYS = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  a: () => press("approve"),
  r: () => press("reject"),
  b: () => press("ban"),
  z: undoLast,
};

/** As the button of that name in the comment that has the focus, where there is one. */
function press(name) {
  const row = current();
  if (row?.querySelector(`button[name="${name}"]`)) ACTIONS[name](row);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyped(event)) return;
  const work = KEYS[event.key];
  if (!work || (event.key.startsWith("Arrow") && current() === null)) return;
  event.preventDefault();
  work();
});

list.addEventListener("click", (event) => {
  const button = event.target.closest('button[form="act"]');
  if (!button) return;
  event.preventDefault();
  ACTIONS[button.name](button.closest("li"));
});
undo.addEventListener("click", undoLast);
