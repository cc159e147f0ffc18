// The queue: kept up to date, walked and answered by keys; what was answered last is undone by another.

import { isTyped, send } from "./desk.js";
import { keepUpToDate } from "./fragment.js";

const queue = document.getElementById("queue"), said = document.getElementById("said"), form = document.getElementById("act");
const LATER = 5 * 60_000, KEPT = "desk-later";
const undone = [];
const items = () => [...queue.querySelectorAll(".item")].filter((each) => !each.hidden);
const current = () => document.activeElement?.closest?.(".item") ?? queue.querySelector(".item.current:not([hidden])");

function later() {
  const known = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  return Object.fromEntries(Object.entries(known).filter(([, until]) => until > Date.now()));
}

function hide() {
  const put = later();
  for (const each of queue.querySelectorAll(".item")) each.hidden = each.dataset.key in put;
}

function go(item) {
  queue.querySelector(".item.current")?.classList.remove("current");
  item?.classList.add("current");
  if (item && !item.contains(document.activeElement)) item.focus();
}

const refresh = keepUpToDate(queue, "desk/queue/list", { waits: true, changed: hide });
hide();
setInterval(hide, 10_000);
items()[0]?.classList.add("current");
queue.addEventListener("focusin", ({ target }) => go(target.closest(".item")));

/** Sends what a button stands for; gives whether it was done, and says why not. */
async function post(name, value, seen = {}) {
  const body = new URLSearchParams({ account: form.elements.account.value, ...seen, [name]: value });
  try {
    const response = await send("desk/queue/act", { method: "POST", body });
    if (response.ok) return true;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    said.textContent = page.querySelector(".alert")?.textContent ?? said.dataset.failed;
  } catch {
    said.textContent = said.dataset.failed;
  }
  return false;
}

async function answer(button) {
  if (button.name === "discard" && !button.dataset.sure) {
    button.dataset.sure = "1";
    button.firstChild.textContent = `${said.dataset.sure} `;
    return;
  }
  const all = items(), at = all.indexOf(button.closest(".item"));
  if (!(await post(button.name, button.value, { status: form.elements.status.value }))) return;
  if (button.dataset.undo) undone.push(button.dataset.undo);
  said.textContent = said.dataset.done;
  await refresh();
  go(items()[Math.min(at, items().length - 1)]);
}

async function undo() {
  const [name, value] = undone.pop()?.split(/=(.*)/s) ?? [];
  if (!name) return;
  if (name === "later") sessionStorage.setItem(KEPT, JSON.stringify({ ...later(), [value]: 0 }));
  else if (!(await post(name, value))) return;
  said.textContent = said.dataset.undone;
  await refresh();
  hide();
  go(items()[0]);
}

function putOff(item) {
  const all = items(), at = all.indexOf(item);
  sessionStorage.setItem(KEPT, JSON.stringify({ ...later(), [item.dataset.key]: Date.now() + LATER }));
  undone.push(`later=${item.dataset.key}`);
  hide();
  go(items()[Math.min(at, all.length - 2)]);
}

queue.addEventListener("click", (event) => {
  const button = event.target.closest('button[form="act"]');
  if (!button) return;
  event.preventDefault();
  answer(button);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyped(event)) return;
  const all = items(), item = current(), now = all.indexOf(item);
  if (event.key === "j") go(all[Math.min(now + 1, all.length - 1)]);
  else if (event.key === "k") go(all[Math.max(now - 1, 0)]);
  else if (event.key === "z") undo();
  else if (item && event.key === "l") putOff(item);
  else if (item && event.key === "Enter" && event.target === item) item.querySelector(".of a").click();
  else item?.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
