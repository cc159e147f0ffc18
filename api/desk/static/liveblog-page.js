// A liveblog at the desk: keeps the list as it is, does what buttons and keys say, and shows who else is here.

import { root, send } from "./desk.js";
import { handBack, modify, remove, update } from "./liveblog-actions.js";
import { Editor } from "./liveblog-editor.js";
import { showTimeline } from "./liveblog-timeline.js";

const AT_ONCE = 100, OFTEN = 5000, MOST_UNDONE = 20;
const place = document.getElementById("desk-liveblog");
const data = place.dataset;
const own = crypto.randomUUID?.() ?? String(Math.random()).slice(2);
const here = location.pathname;
const list = () => document.querySelector("#posts .posts");
const rows = () => [...document.querySelectorAll("#posts .row")];
const byName = (post) => rows().find((each) => each.dataset.post === post);
const say = (name) => data[`say${name.replace(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase())}`] ?? name;
const undone = [];
let mark = data.mark, version = Number(data.version), others = [], fetching = null, again = false, seen = "";

const page = {
  liveblog: data.liveblog, organization: data.organization, say,
  note: (words) => put("said", words),
  fail: (words) => put("said", words, true),
  refuse: (error) => page.fail(error.status === 0 ? say("offline") : say("failed").replace("{reason}", error.message)),
  async fetchForm(post) {
    const response = await send(`${here.slice(root().pathname.length)}/form?post=${encodeURIComponent(post)}`).catch(() => null);
    if (!response?.ok) {
      if (response?.status !== 404) page.fail(say("offline"));
      return null;
    }
    const found = document.createElement("div");
    found.innerHTML = (await response.json()).form; // made and escaped by the service
    return found;
  },
  opened: () => report(),
  closed(post) {
    report();
    (byName(post) ?? document.getElementById("new"))?.focus();
  },
  async done(name, post, undo, fields = "") {
    if (undo) undone.push(undo);
    undone.splice(0, undone.length - MOST_UNDONE);
    showUndo();
    await refresh();
    if (!editor.isOpen) byName(post)?.focus();
    page.note(say(name).replace("{fields}", fields));
  },
};
const editor = new Editor(document.getElementById("editor"), page);

function put(id, words, wrong = false) {
  const said = document.getElementById(id);
  said.textContent = words;
  said.className = wrong ? "alert" : "notice";
  if (!words) said.className = "";
}

// What is shown

/** Gives each new row the post as readers see it, in a place of its own, so that neither page's rules reach the other. */
function unfold(within) {
  for (const each of within.querySelectorAll("template[shadowrootmode]")) {
    each.parentNode.attachShadow({ mode: "open" }).append(each.content);
    each.remove();
  }
}

function times(within) {
  const forms = { date: { dateStyle: "medium", timeStyle: "short" }, time: { timeStyle: "short" } };
  for (const each of within.querySelectorAll("time[data-form]")) {
    each.textContent = new Intl.DateTimeFormat(document.documentElement.lang, forms[each.dataset.form]).format(new Date(each.dateTime));
    if (each.nextElementSibling?.classList.contains("zone")) each.nextElementSibling.remove();
  }
  for (const each of within.querySelectorAll("*")) if (each.shadowRoot) times(each.shadowRoot);
}

/** Puts the new list in the place of the old one; rows that are the same stay, with focus and all that is open in them. */
function show(html) {
  const made = document.createElement("div");
  made.innerHTML = html; // made and escaped by the service
  const known = new Map(rows().map((each) => [each.dataset.post, each]));
  const focus = focusNow();
  for (const each of made.querySelectorAll(".row")) {
    const before = known.get(each.dataset.post);
    if (before?.dataset.tag === each.dataset.tag) each.replaceWith(before);
    else {
      if (before) keepOpen(before, each);
      unfold(each);
      times(each);
    }
  }
  document.getElementById("posts").replaceChildren(...made.childNodes);
  if (focus && !focus.element.isConnected) focusAgain(focus);
  else if (focus && document.activeElement !== focus.element) focus.element.focus({ preventScroll: true });
  showOthers();
}

function keepOpen(before, after) {
  const open = [...before.querySelectorAll("details[open]")].map((each) => each.dataset.details);
  for (const each of after.querySelectorAll("details")) each.open = open.includes(each.dataset.details);
}

function focusNow() {
  const element = document.activeElement, row = element?.closest?.("#posts .row");
  return row && { element, post: row.dataset.post, action: element.dataset.action };
}

function focusAgain({ post, action }) {
  const row = byName(post);
  (action && row?.querySelector(`[data-action="${action}"]`) || row)?.focus({ preventScroll: true });
}

/** Fetches what has changed; calls while one is under way are one more afterwards. */
function refresh() {
  again ||= fetching !== null;
  fetching ??= (async () => {
    do {
      again = false;
      await fetchPosts();
    } while (again);
    fetching = null;
  })();
  return fetching;
}

async function fetchPosts() {
  const query = new URLSearchParams(location.search);
  query.set("mark", mark);
  const response = await send(`${here.slice(root().pathname.length)}/posts?${query}`).catch(() => null);
  lost(!response || response.status >= 500);
  if (response?.status !== 200) return;
  const found = await response.json();
  mark = found.mark;
  version = Number(mark.split(".")[0]);
  showMatch(found.match);
  show(found.posts);
  await meetOpenForm();
}

function showMatch(html) {
  const match = document.getElementById("match");
  if (match.contains(document.activeElement) && document.activeElement.closest("form")) return; // somebody is typing there
  const open = match.querySelector("details")?.open ?? false;
  match.innerHTML = html; // made and escaped by the service
  if (open) match.querySelector("details").open = true;
  listenToMatch();
}

/** If the post that is being edited has changed, its form takes over what it can. */
async function meetOpenForm() {
  const row = editor.isOpen && editor.post && byName(editor.post);
  if (row && Number(row.dataset.version) > editor.version && !editor.busy) await editor.meetTheirs();
}

function lost(is) {
  document.getElementById("lost").hidden = !is;
}

// Who else is here

/** Says that the page is open; with `wait` the service answers once something here is new. Gives whether it answers. */
async function report(closed = "", wait = "") {
  const meta = document.querySelector('meta[name="csrf-token"]')?.content ?? "";
  const post = editor.isOpen ? editor.post || "+" : "";
  const body = new URLSearchParams({ csrf_token: meta, page: own, post, closed, wait, mark, people: seen });
  const response = await send(`${here.slice(root().pathname.length)}/open`, { method: "POST", body, keepalive: Boolean(closed) }).catch(() => null);
  lost(!response || response.status >= 500);
  if (!response?.ok || closed) return false;
  const found = await response.json();
  ({ people: others, seen } = found);
  showOthers();
  if (found.mark !== mark) await refresh();
  return true;
}

function showOthers() {
  const names = [...new Set(others.map((each) => (each.post ? say("writes").replace("{name}", each.name) : each.name)))];
  const also = document.getElementById("also"), words = names.length ? `${say("also-here")}: ${names.join(", ")}` : "";
  if (also.textContent !== words) also.textContent = words;
  for (const row of rows()) {
    const by = others.filter((each) => each.post === row.dataset.post).map((each) => say("edits-this").replace("{name}", each.name));
    const line = row.querySelector(".editing");
    line.hidden = by.length === 0;
    line.textContent = by.join(", ");
  }
}

// What is done

const done = { publish: "did-publish", withdraw: "did-withdraw", pin: "did-pin", unpin: "did-unpin" };
const changes = {
  publish: (row) => [{ local_status: 0, ...(row.dataset.state === "scheduled" ? { publish_at: null } : {}) }, { local_status: 60 }],
  withdraw: () => [{ local_status: 60 }, { local_status: 0 }],
  pin: (row) => [{ highlight: "sticky" }, { highlight: row.dataset.highlight }],
  unpin: (row) => [{ highlight: "" }, { highlight: row.dataset.highlight }],
};

async function act(name, row, button) {
  if (row.dataset.busy) return;
  row.dataset.busy = "1";
  const post = row.dataset.post;
  try {
    if (fetching) await fetching; // one's own write of just now is no change by somebody else
    if (name in changes) {
      const [body, before] = changes[name](byName(post) ?? row);
      await update(post, body, (byName(post) ?? row).dataset.version);
      await page.done(done[name], post, { kind: "update", post, body: before });
    } else if (name === "edit") await editor.open(post);
    else if (name === "delete") {
      if (!button.dataset.sure) {
        button.dataset.sure = "1";
        button.textContent = say("delete-for-good");
        return page.note(say("delete-sure"));
      }
      await remove(post, row.dataset.version);
      await page.done("did-delete", post, null);
    } else if (name === "hand-back") {
      await handBack(page.organization, page.liveblog, { events: [post], fields: button.dataset.fields.split("\n") });
      await page.done("did-hand-back", post, null);
    }
  } catch (error) {
    page.refuse(error);
    await refresh();
  } finally {
    delete row.dataset.busy;
  }
}

async function undo() {
  const last = undone.pop();
  showUndo();
  if (!last) return page.note(say("nothing-to-undo"));
  try {
    if (last.kind === "delete") await remove(last.post);
    else if (last.kind === "modify") await modify(page.liveblog, last.modifications);
    else await update(last.post, last.body);
    await page.done("did-undo", last.post, null);
  } catch (error) {
    page.refuse(error);
  }
}

function showUndo() {
  const button = document.getElementById("undo");
  if (button) button.disabled = undone.length === 0;
}

function listenToMatch() {
  const form = document.getElementById("match-form");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const modifications = matchChanges(form);
    if (modifications.length === 0) return;
    try {
      await modify(page.liveblog, modifications, version);
      const before = modifications.map((each) => each.before);
      document.activeElement.blur();
      await page.done("saved", "", { kind: "modify", modifications: before });
    } catch (error) {
      page.refuse(error);
      await refresh();
    }
  });
}

/** What differs from what the form began with, with what was before. */
function matchChanges(form) {
  const type = "Svc::Model::Modification::", found = [];
  const [home, away] = ["home_score", "away_score"].map((name) => form.elements[name]);
  const score = (one, two) => ({ _type: `${type}UpdateGameScoreInfoModification`, score_info: { home_score: number(one), away_score: number(two) } });
  if (home.value !== home.defaultValue || away.value !== away.defaultValue)
    found.push({ ...score(home.value, away.value), before: score(home.defaultValue, away.defaultValue) });
  const state = form.elements.state, first = state && [...state.options].find((each) => each.defaultSelected);
  if (state?.value && state.value !== first?.value) {
    const made = (value) => ({ _type: `${type}UpdateGameStateModification`, state_info: JSON.parse(value) });
    found.push({ ...made(state.value), before: made(first?.value || state.options[1].value) });
  }
  return found;
}

const number = (text) => (text === "" ? null : Number(text));

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-action]");
  if (!button) return;
  const row = button.closest(".row");
  if (row) await act(button.dataset.action, row, button);
  else if (button.dataset.action === "hand-back-match") {
    try {
      await handBack(page.organization, page.liveblog, { fields: button.dataset.fields.split("\n") });
      button.blur();
      await page.done("did-hand-back", "", null);
    } catch (error) {
      page.refuse(error);
    }
  }
});
document.getElementById("new")?.addEventListener("click", () => editor.open(""));
document.getElementById("undo")?.addEventListener("click", undo);
document.addEventListener("toggle", (event) => event.target.dataset?.details === "known" && event.target.open && showTimeline(event.target, page, say), true);

// Keys

const keysOn = document.getElementById("keys-on");
keysOn.checked = localStorage.getItem("desk-keys") !== "off";
keysOn.addEventListener("change", () => localStorage.setItem("desk-keys", keysOn.checked ? "on" : "off"));

const current = () => document.activeElement?.closest?.("#posts .row");

function step(by) {
  const all = rows(), now = all.indexOf(current());
  all[Math.min(Math.max(now + by, 0), all.length - 1)]?.focus();
  current()?.scrollIntoView({ block: "nearest" });
}

function press(action) {
  current()?.querySelector(`[data-action="${action}"]`)?.click();
}

const keys = {
  n: () => document.getElementById("new")?.click(), j: () => step(1), k: () => step(-1), e: () => press("edit"),
  p: () => press("publish"), x: () => press("withdraw"), s: () => (press("pin"), press("unpin")), u: undo,
  g() {
    const match = document.querySelector("#match details");
    if (!match) return;
    match.open = true;
    (match.querySelector("#score-home") ?? match.querySelector("summary")).focus();
  },
  "?"() {
    const legend = document.getElementById("keys");
    legend.open = true;
    legend.querySelector("summary").focus();
  },
};

document.addEventListener("keydown", (event) => {
  if (event.isComposing || editor.opening) return;
  if (event.key === "Escape" && editor.isOpen) editor.close();
  else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const form = document.activeElement?.closest?.("form");
    if (!form || !place.contains(form)) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("button[value], button:not([type])"));
  } else if (keysOn.checked && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest?.("input, select, textarea, [contenteditable]")) {
    const act_ = keys[event.key];
    if (!act_ || (data.writes === "0" && !"jk?".includes(event.key))) return;
    event.preventDefault();
    act_();
  }
});

// News: by a request that the service holds until there is something new

async function beat() {
  const answers = !document.hidden && (await report("", "1"));
  setTimeout(beat, answers ? AT_ONCE : OFTEN);
}

addEventListener("beforeunload", (event) => editor.isOpen && editor.isChanged() && event.preventDefault());
addEventListener("pagehide", () => report("1"));
document.addEventListener("visibilitychange", () => document.hidden || report());
unfold(document);
times(document);
listenToMatch();
beat();
document.documentElement.dataset.ready = "1";
