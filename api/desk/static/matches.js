// The table of matches: kept up to date, its clocks and ages go on, and a liveblog is paused without loading the page.

import { send } from "./desk.js";
import { keepUpToDate } from "./fragment.js";

const table = document.getElementById("matches");
const said = document.getElementById("said");
const language = document.documentElement.lang;
const relative = new Intl.RelativeTimeFormat(language, { style: "short", numeric: "always" });
const UNITS = [["second", 60], ["minute", 60], ["hour", 24], ["day", Infinity]];
const SOON = 36 * 3600;

/** How long ago that was, in the largest unit that counts. */
function age(seconds) {
  let left = seconds;
  for (const [unit, size] of UNITS) {
    if (left < size) return relative.format(-Math.round(left), unit);
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

function tick() {
  for (const each of table.querySelectorAll(".age time")) {
    const passed = (Date.now() - Date.parse(each.dateTime)) / 1000;
    if (passed >= 0 && passed < SOON) {
      each.title ||= each.textContent;
      const text = age(passed);
      if (each.textContent !== text) each.textContent = text;
    }
  }
  for (const each of table.querySelectorAll(".clock[data-started]")) {
    const text = reading(each.dataset);
    if (each.textContent !== text) each.textContent = text;
  }
}

let well = true;
const refresh = keepUpToDate(table, "desk/matches/table", {
  waits: true,
  changed: tick,
  state: (answers) => {
    if (answers !== well) said.textContent = answers ? said.dataset.fresh : said.dataset.stale;
    well = answers;
  },
});
tick();
setInterval(tick, 1_000);

document.addEventListener("click", async (event) => {
  const button = event.target.closest('button[form="act"]');
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

const filter = document.querySelector(".filter");
filter.addEventListener("change", (event) => {
  if (event.target.matches("select")) filter.requestSubmit();
});
