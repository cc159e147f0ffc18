// Keeps a liveblog page up to date: hears of changes, asks for them where it cannot hear, and lets the clock go on.
"use strict";

const FIRST = 1000; // milliseconds before the first new attempt, doubled with each failure
const LONGEST = 30000;
const POLL = 4000; // between two questions while there is no stream
const PATIENCE = 10000; // for an answer
const SILENCE = 40000; // a stream that has said nothing for so long is dead: it beats every 15 seconds
const STEADY = 10000; // a stream that lasted so long did not fail
const STOPPED = 30; // minutes of added time after which nobody has stopped the clock

const liveblog = document.getElementById("liveblog");
const list = liveblog.querySelector(".stream ol");
const language = document.documentElement.lang || "en";

let version = Number(liveblog.dataset.version);
let shown = { board: null, squads: null }; // what they were made of
let turn = 0; // of the attempts to connect: the latest one counts
let failures = 0; // questions in a row without an answer
let refused = 0; // streams in a row that did not last
let rounds = 0;
let source = null;
let timer = null;
let alarm = null;
let ahead = 0; // milliseconds that the server's clock is ahead of ours

// What is shown

function localise(within) {
  for (const time of within.querySelectorAll("time[data-form]")) {
    const at = new Date(time.dateTime);
    time.textContent = time.dataset.form === "time"
      ? at.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
      : at.toLocaleString(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
  }
}

function tick() {
  for (const clock of liveblog.querySelectorAll(".clock[data-started]")) {
    const now = (Date.now() + ahead) / 1000 - Number(liveblog.dataset.delay);
    const [started, base, length] = ["started", "base", "length"].map((name) => Number(clock.dataset[name]));
    const gone = Math.floor(Math.max(0, now - started) / 60);
    const added = length ? gone - length + 1 : 0;
    clock.textContent = added > STOPPED ? "" : added > 0 ? `${base + length}+${added}'` : `${base + gone + 1}'`;
  }
}

function parsed(html) {
  const element = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  localise(element);
  return document.adoptNode(element); // so that a video which is put into it goes on
}

function posts() {
  return [...list.querySelectorAll(":scope > .post")];
}

// Pinned posts first, then the newest.
function rank(post) {
  return (post.classList.contains("pinned") ? "1" : "0") + post.dataset.sort;
}

// The pairs of what the old and the new form of a post have alike.
function pairs(before, after, selector) {
  const found = [...after.querySelectorAll(selector)];
  return [...before.querySelectorAll(selector)].map((old, index) => [old, found[index]]).filter(([, young]) => young);
}

// Puts the new form of a post into the place of the old one; what the reader has done to the old one stays done.
function exchange(before, after) {
  for (const [old, young] of pairs(before, after, "details")) young.open = old.open;
  const scrolled = pairs(before, after, ".slides").map(([old, young]) => [young, old.scrollLeft]);
  const focused = pairs(before, after, "a, summary, .slides").find(([old]) => old === document.activeElement)?.[1];
  const active = document.activeElement;
  for (const video of before.querySelectorAll("video")) {
    const same = [...after.querySelectorAll(".play, video")].find((each) => (each.href ?? each.src) === video.src);
    (same?.closest(".consent") ?? same)?.replaceWith(video);
  }
  before.replaceWith(after);
  for (const [slides, left] of scrolled) slides.scrollLeft = left;
  (active.tagName === "VIDEO" && active.isConnected ? active : focused)?.focus({ preventScroll: true });
}

// A video is loaded from its own host when the reader asks for it.
function play(event) {
  const link = event.target.closest(".play");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const card = link.closest(".consent");
  const { width, height } = card.querySelector("svg").viewBox.baseVal;
  const video = document.createElement("video");
  Object.assign(video, { src: link.href, controls: true, autoplay: true, playsInline: true, width, height });
  video.ariaLabel = card.querySelector("b").textContent;
  card.replaceWith(video);
  video.focus();
}

function place(before, html) {
  if (!html) return before?.remove();
  const after = parsed(html);
  const next = posts().find((post) => post !== before && rank(post) < rank(after));
  if (!before && !next && liveblog.dataset.more === "1") return undefined; // older than what the page shows
  if (before && rank(before) === rank(after)) return exchange(before, after);
  if (!before) after.classList.add("fresh");
  before?.remove();
  return list.insertBefore(after, next ?? null);
}

function replace(name, html, put) {
  if (shown[name] === html) return;
  shown[name] = html;
  put(html ? parsed(html) : null);
}

function settle({ posts: changed, since, title, label, board, squads }) {
  const known = new Map(posts().map((post) => [post.id, post]));
  if (since === 0) for (const post of known.values()) post.remove();
  for (const { id, html } of changed) place(since === 0 ? undefined : known.get(id), html);
  list.querySelector(":scope > .nothing")?.remove();
  if (!list.children.length) {
    const nothing = list.appendChild(document.createElement("li"));
    nothing.className = "nothing";
    nothing.textContent = list.dataset.nothing;
  }
  list.parentElement.setAttribute("aria-label", label);
  document.title = title;
  replace("board", board, (element) => liveblog.querySelector(".board").replaceWith(element));
  replace("squads", squads, (element) => {
    liveblog.querySelector(".squads")?.remove();
    if (element) liveblog.querySelector(".columns").append(element);
  });
  tick();
}

// Whoever reads further down goes on reading the same line.
function steadily(change) {
  const reading = list.getBoundingClientRect().top < 0;
  const before = posts().map((post) => [post.id, post.getBoundingClientRect()]).filter(([, box]) => box.bottom > 0);
  change();
  if (!reading) return;
  const after = new Map(posts().map((post) => [post.id, post]));
  const [id, box] = before.find(([name]) => after.has(name)) ?? [];
  if (id !== undefined) scrollBy({ top: after.get(id).getBoundingClientRect().top - box.top, behavior: "instant" });
}

function withdraw() {
  list.replaceChildren();
  liveblog.hidden = true;
  version = 0;
}

// Applies what has changed; false where something in between is missing.
function apply(changes) {
  if (changes.status !== 0) {
    withdraw();
    return true;
  }
  if (changes.since > version) return false;
  if (changes.since !== 0 && changes.version <= version) return true;
  liveblog.hidden = false;
  list.setAttribute("aria-busy", String(changes.since === 0)); // a whole page is not read out
  steadily(() => settle(changes));
  version = changes.version;
  return true;
}

// How it is learned

async function ask() {
  const address = new URL(location.href);
  address.hash = "";
  address.searchParams.set("fragment", "1");
  address.searchParams.set("refresh", version);
  const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  const date = Date.parse(answer.headers.get("Date") ?? "");
  if (Math.abs(date - Date.now()) > 2000) ahead = date - Date.now();
  if (answer.status === 204) return false;
  const told = await answer.json();
  if (answer.status === 404 && told.code === "not_found") withdraw();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  apply(told);
  return told.more;
}

function stop() {
  turn += 1;
  clearTimeout(timer);
  clearTimeout(alarm);
  source?.close();
  source = null;
}

function again(milliseconds) {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(connect, Math.min(milliseconds, LONGEST) * (0.5 + Math.random() / 2));
}

async function connect() {
  stop();
  const mine = turn;
  try {
    while (await ask()) if (mine !== turn) return;
    failures = 0;
  } catch {
    failures += 1;
  }
  if (mine !== turn) return;
  rounds += 1;
  if (failures) again(FIRST * 2 ** failures);
  else if (rounds % 2 ** Math.min(Math.max(refused - 1, 0), 4)) again(POLL);
  else listen();
}

function listen() {
  const address = new URL(liveblog.dataset.stream, location.href);
  address.search = location.search;
  for (const [name, value] of [["liveblogId", liveblog.dataset.name], ["html", "1"], ["refresh", version]]) {
    address.searchParams.set(name, value);
  }
  const began = Date.now();
  const lost = () => {
    stop();
    refused = Date.now() - began < STEADY ? refused + 1 : 0;
    again(refused > 1 ? POLL : FIRST);
  };
  const heard = () => {
    clearTimeout(alarm);
    alarm = setTimeout(lost, SILENCE);
  };
  source = new EventSource(address);
  source.onopen = heard;
  source.onerror = lost;
  source.addEventListener("beat", heard);
  source.addEventListener("update", (message) => {
    heard();
    if (!apply(JSON.parse(message.data))) connect();
  });
  heard();
}

document.addEventListener("visibilitychange", () => (document.hidden ? stop() : connect()));
addEventListener("online", connect);
liveblog.addEventListener("click", play);
setInterval(tick, 1000);
localise(liveblog);
tick();
if (!document.hidden) connect();
