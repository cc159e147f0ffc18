// The list of matches: kept up to date, its clocks and ages go on; filtered while somebody types, chosen and paused without loading the page.

import { isTyped, send } from "./desk.js";
import { keepUpToDate } from "./fragment.js";

const table = document.getElementById("matches"), said = document.getElementById("said");
const find = document.querySelector(".find"), q = find.elements.q, count = document.getElementById("count");
const chosen = document.getElementById("chosen"), clear = document.getElementById("clear"), keys = document.getElementById("keys");
const language = document.documentElement.lang;
const UNITS = [["second", 60], ["minute", 60], ["hour", 24], ["day", Infinity]];
const written = Object.fromEntries(UNITS.map(([unit]) => [unit, new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" })]));
const SOON = 36 * 3600, TYPED = 300;

/** How long ago that was, in the largest unit that counts. */
function age(seconds) {
  let left = seconds;
  for (const [unit, size] of UNITS) {
    if (left < size) return written[unit].format(Math.floor(left));
    left /= size;
  }
  return "";
}

/** The minute of a phase that began then: with added time apart where the phase has a length. */
function reading({ started, base, length }) {
  const minute = Math.max(1, Math.floor((Date.now() / 1000 - Number(started)) / 60) + 1);
  const most = Number(length);
  return most && minute > most ? `${Number(base) + most}+${minute - most}'` : `${Number(base) + minute}'`;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function tick() {
  for (const each of table.querySelectorAll(".age time")) {
    const passed = (Date.now() - Date.parse(each.dateTime)) / 1000;
    if (passed >= 0 && passed < SOON) {
      each.title ||= each.textContent;
      write(each, age(passed));
    }
  }
  for (const each of table.querySelectorAll(".clock[data-started]")) write(each, reading(each.dataset));
}

// What is shown: words hide lines at once; where there are more pages the service looks through all of them

const lines = () => [...table.querySelectorAll(".match")];
const links = () => lines().filter((each) => !each.hidden).map((each) => each.querySelector("a"));
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function filter() {
  const words = plain(q.value).split(/\s+/).filter(Boolean);
  for (const each of lines()) {
    const text = plain(each.textContent);
    each.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of table.querySelectorAll("section")) group.hidden = !group.querySelector(".match:not([hidden])");
  const left = links().length;
  write(count, left === 1 ? count.dataset.one : count.dataset.many.replace("…", left));
}

// What is chosen stays so when a line is made anew

const picked = new Set();

function pick() {
  for (const each of table.querySelectorAll(".pick input")) each.checked = picked.has(each.name);
  if (!chosen) return;
  write(chosen, chosen.dataset.many.replace("…", picked.size));
  clear.hidden = !picked.size;
}

table.addEventListener("change", ({ target }) => {
  if (!target.matches(".pick input")) return;
  picked[target.checked ? "add" : "delete"](target.name);
  pick();
});

function clearAll() {
  picked.clear();
  pick();
  if (!q.value) return;
  q.value = "";
  ask();
}
clear?.addEventListener("click", clearAll);

let well = true;
const refresh = keepUpToDate(table, "desk/matches/table", {
  waits: true,
  changed: () => [tick, filter, pick].forEach((each) => each()),
  state: (answers) => {
    if (answers !== well) said.textContent = answers ? said.dataset.fresh : said.dataset.stale;
    well = answers;
  },
});
tick();
setInterval(tick, 1_000);
for (const each of table.querySelectorAll(".pick input:checked")) picked.add(each.name); // the browser keeps them over a reload
if (q.value) filter();
pick();

/** Asks for what the fields of the filter want now, and has the address say so. */
function ask() {
  filter();
  const wanted = new URLSearchParams([...new FormData(find)].filter(([, value]) => value));
  table.dataset.query = wanted;
  table.dataset.etag = "";
  history.replaceState(null, "", `${location.pathname}${wanted.size ? `?${wanted}` : ""}`);
  document.querySelector('#act [name="back"]').value = `/desk?${wanted}`;
  return refresh();
}

let typed;
find.querySelector("button").hidden = true;
find.addEventListener("submit", (event) => (event.preventDefault(), ask()));
find.addEventListener("change", (event) => event.target.matches("select") && ask());
q.addEventListener("input", () => {
  filter();
  clearTimeout(typed);
  typed = setTimeout(ask, TYPED);
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest('.match button[form="act"]');
  if (!button) return;
  event.preventDefault();
  if (button.ariaDisabled === "true") return;
  button.ariaDisabled = "true";
  const path = `apigw/sports/v2/${table.dataset.organization}/liveblog/${encodeURIComponent(button.value)}/external.json`;
  try {
    const response = await send(path, { method: "POST", body: JSON.stringify({ paused: button.name === "pause" }) });
    said.textContent = response.ok ? `${button.ariaLabel} ✓` : (await response.json()).message;
  } catch {
    said.textContent = said.dataset.stale;
  }
  button.ariaDisabled = null;
  await refresh();
});

const hint = document.getElementById("show-keys");
hint.hidden = false;
hint.addEventListener("click", () => keys.showModal());

const KEYS = {
  j: (all, now) => all[Math.min(now + 1, all.length - 1)]?.focus(),
  k: (all, now) => all[Math.max(now - 1, 0)]?.focus(),
  x: (all, now) => all[now]?.closest(".match").querySelector(".pick input")?.click(),
  "/": () => q.focus(),
  "?": () => keys.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !keys.open) return void clearAll();
  if (event.ctrlKey || event.metaKey || event.altKey || isTyped(event) || keys.open || !(event.key in KEYS)) return;
  event.preventDefault();
  const all = links();
  KEYS[event.key](all, all.findIndex((each) => each.closest(".match").contains(document.activeElement)));
});
