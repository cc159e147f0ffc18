// Keeps a liveblog page up to date: asks for the part that changes, swaps it, and lets the clock go on in between.
"use strict";

const INTERVAL = 4000;
const LONGEST = 60000;
const STOPPED = 30; // minutes of added time after which nobody has stopped the clock

const liveblog = document.getElementById("liveblog");
const language = document.documentElement.lang || "en";
const news = document.getElementById("news");
const address = new URL(location.href);
address.searchParams.set("fragment", "1");
address.hash = "";

let tag = null;
let failures = 0;
let timer = null;
let ahead = 0; // milliseconds that the server's clock is ahead of ours

function posts() {
  return new Map([...liveblog.querySelectorAll(".post")].map((post) => [post.id, post]));
}

function localise() {
  for (const time of liveblog.querySelectorAll("time[data-form]")) {
    const at = new Date(time.dateTime);
    time.textContent = time.dataset.form === "time"
      ? at.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
      : at.toLocaleString(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
  }
}

function tick() {
  for (const clock of liveblog.querySelectorAll(".clock[data-started]")) {
    const now = (Date.now() + ahead) / 1000;
    const [started, base, length] = ["started", "base", "length"].map((name) => Number(clock.dataset[name]));
    const gone = Math.floor(Math.max(0, now - started) / 60);
    const added = length ? gone - length + 1 : 0;
    clock.textContent = added > STOPPED ? "" : added > 0 ? `${base + length}+${added}'` : `${base + gone + 1}'`;
  }
}

function swap(html) {
  const before = posts();
  const open = new Set([...before].filter(([, post]) => post.querySelector("details[open]")).map(([id]) => id));
  const fragment = new DOMParser().parseFromString(html, "text/html");
  liveblog.replaceChildren(...fragment.body.childNodes);
  const fresh = [...posts()].filter(([id]) => !before.has(id)).map(([, post]) => post);
  for (const post of fresh) post.classList.add("fresh");
  for (const id of open) {
    for (const details of document.getElementById(id)?.querySelectorAll("details") ?? []) details.open = true;
  }
  if (fresh.length) news.textContent = fresh[0].querySelector(".body").textContent.slice(0, 300);
  localise();
  tick();
}

async function refresh() {
  try {
    const answer = await fetch(address, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (Math.abs(date - Date.now()) > 2000) ahead = date - Date.now();
    if (answer.status === 200) {
      tag = answer.headers.get("ETag");
      swap(await answer.text());
    }
    failures = answer.ok || answer.status === 304 ? 0 : failures + 1;
  } catch {
    failures += 1;
  }
  schedule();
}

function schedule() {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(refresh, Math.min(INTERVAL * 2 ** failures, LONGEST));
}

document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : refresh()));
setInterval(tick, 1000);
localise();
tick();
schedule();
