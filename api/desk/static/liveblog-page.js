// A liveblog at the desk: keeps the list as it is, does what buttons and keys say, and shows who else is here.

import { isTyped, isTyping, root, send } from "./desk.js";
import { Drafts } from "./drafts.js";
import { Refused, handBack, remove, update } from "./liveblog-actions.js";
import { Editor } from "./liveblog-editor.js";
import { handBackMatch, putMatch, listenToMatch, takenOf } from "./liveblog-match.js";
import { byName, currentRow, inPlace, reachedPost, rows, show, showActions, times, unfold } from "./liveblog-rows.js";
import { showTimeline } from "./liveblog-timeline.js";
import { Undo, restoring, standing, wordsOf } from "./liveblog-undo.js";

const AT_ONCE = 100, OFTEN = 5000;
const place = document.getElementById("desk-liveblog");
const data = place.dataset;
const own = crypto.randomUUID?.() ?? String(Math.random()).slice(2);
const here = location.pathname;
const say = (name) => data[`say${name.replace(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase())}`] ?? name;
let mark = data.mark, version = Number(data.version), others = [], fetching = null, again = false, seen = "";

const page = {
  liveblog: data.liveblog, organization: data.organization, person: data.person, say,
  pictureBytes: Number(data.pictureBytes), videoBytes: Number(data.videoBytes),
  note: (words) => put("said", words),
  fail: (words) => put("said", words, true),
  refuse(error) {
    if (!(error instanceof Refused)) reportError(error);
    page.fail(error instanceof Refused ? (error.status === 0 ? say("offline") : say("failed").replace("{reason}", error.message)) : say("page-fault"));
  },
  version: () => version,
  mark: () => mark,
  refresh: () => refresh(),
  async fetchForm(post) {
    try {
      return await formOf(post);
    } catch (error) {
      if (error.status !== 404) page.fail(say("offline"));
      return null;
    }
  },
  /** A post as its form has it, with its version, state and the fields that are a person's. Throws Refused. */
  fetchBase: async (post) => baseOf((await formOf(post)).querySelector("form")),
  /** Deletes a post for good; what it says can be posted again. */
  async removePost(post, itsVersion) {
    const base = await page.fetchBase(post);
    await remove(post, itsVersion);
    await page.done("did-delete", post, { kind: "deleted", body: wordsOf(base), key: crypto.randomUUID?.() ?? String(Math.random()) });
  },
  opened() {
    showUnsent();
    return report();
  },
  closed(post) {
    report();
    showUnsent();
    byName(post)?.focus();
  },
  async done(name, post, undo, values = {}) {
    if (undo) page.undo.add(undo);
    await refresh();
    if (!editor.isEditing && !isTyping()) byName(post)?.focus();
    page.note(Object.entries(values).reduce((words, [each, value]) => words.replace(`{${each}}`, value), say(name)));
  },
};
page.undo = new Undo(page, document.getElementById("undo"));
page.drafts = new Drafts(page, () => showUnsent());
const editor = new Editor(document.getElementById("form"), page);

/** Offers what was written of posts that are there and not sent, while none of them is being changed. */
function showUnsent() {
  const button = document.getElementById("unsent");
  if (button) button.hidden = editor.isEditing || !page.drafts.posts().some(Boolean);
}

function put(id, words, wrong = false) {
  const said = document.getElementById(id);
  said.textContent = words;
  said.className = wrong ? "alert" : "notice";
  if (!words) said.className = "";
}

// What is shown

/** Fetches what has changed; calls while one is under way are one more afterwards. */
function refresh() {
  again ||= fetching !== null;
  fetching ??= (async () => {
    do {
      again = false;
      await fetchPosts().catch(reportError); // what was done is done, whether it can be shown or not
    } while (again);
    fetching = null;
  })();
  return fetching;
}

async function fetchPosts() {
  const query = new URLSearchParams(location.search);
  query.set("mark", mark);
  query.set("to", reachedPost());
  const response = await send(`${here.slice(root().pathname.length)}/posts?${query}`).catch(() => null);
  lost(!response || response.status >= 500);
  if (response?.status !== 200) return;
  const found = await response.json();
  mark = found.mark;
  version = Number(mark.split(".")[0]);
  inPlace(() => {
    putMatch(found.match, page);
    show(found.posts);
  });
  showOthers();
  await meetOpenForm();
}

/** If the post that is being edited has changed, its form takes over what it can. */
async function meetOpenForm() {
  const row = editor.isEditing && byName(editor.post);
  if (row && Number(row.dataset.version) > editor.version && !editor.busy) await editor.meetTheirs();
}

function lost(is) {
  document.getElementById("lost").hidden = !is;
}

// Who else is here

/** Says that the page is open; with `wait` the service answers once something here is new. Gives whether it answers. */
async function report(closed = "", wait = "") {
  const post = editor.post || (editor.isWriting ? "+" : "");
  const body = new URLSearchParams({ account: "", page: own, post, closed, wait, mark, people: seen });
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

const done = { publish: "did-publish", withdraw: "did-withdraw", unschedule: "did-unschedule", pin: "did-pin", unpin: "did-unpin" };
const changes = {
  publish: (row) => ({ local_status: 0, ...(row.dataset.publishAt ? { publish_at: null } : {}) }),
  withdraw: () => ({ local_status: 60 }), unschedule: () => ({ local_status: 60, publish_at: null }),
  pin: () => ({ highlight: "sticky" }), unpin: () => ({ highlight: "" }),
};
const stood = ({ dataset }) => ({ local_status: Number(dataset.status), publish_at: Number(dataset.publishAt) || null, highlight: dataset.highlight });

/** The form of a post, or of a new one. Throws Refused. */
async function formOf(post) {
  const response = await send(`${here.slice(root().pathname.length)}/form?post=${encodeURIComponent(post)}`).catch(() => null);
  if (!response?.ok) throw new Refused(response?.status ?? 0, String(response?.status));
  const found = document.createElement("div");
  found.innerHTML = (await response.json()).form; // made and escaped by the service
  return found;
}

/** The post that a form was made of. */
function baseOf(form) {
  const { document: post, status, ...others } = JSON.parse(form.dataset.base);
  return { ...post, ...others, local_status: status, version: Number(form.dataset.version) };
}

async function act(name, row, button) {
  if (row.dataset.busy) return;
  row.dataset.busy = "1";
  try {
    if (fetching) await fetching; // one's own write of just now is no change by somebody else
    await (name in changes ? change(name, byName(row.dataset.post) ?? row) : operations[name]?.(row, button));
  } catch (error) {
    page.refuse(error);
    await refresh();
  } finally {
    for (const each of [row, byName(row.dataset.post)]) delete each?.dataset.busy;
  }
}

async function change(name, row) {
  const { post } = row.dataset, body = changes[name](row), before = standing(stood(row), body), taken = takenOf(row);
  const answer = await update(post, body, row.dataset.version);
  await page.done(done[name], post, { kind: "changed", post, body: before, after: standing(answer, body), taken });
}

const operations = {
  more: (row) => showActions(row),
  history: (row) => unfold(row) && showTimeline(row.querySelector(".known"), page, say),
  edit: (row) => editor.open(row.dataset.post),
  async delete(row, button) {
    if (button.dataset.sure) return page.removePost(row.dataset.post, row.dataset.version);
    button.dataset.sure = "1";
    button.textContent = say("delete-for-good");
    return page.note(say("delete-sure"));
  },
  async "hand-back"(row, button) {
    const { post } = row.dataset, fields = button.dataset.fields.split("\n");
    const body = restoring(await page.fetchBase(post), fields);
    await handBack(page.organization, page.liveblog, { events: [post], fields });
    await page.done("did-hand-back", post, { kind: "handed", post, fields, body });
  },
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-action]");
  if (!button) return;
  const row = button.closest(".row");
  if (row) await act(button.dataset.action, row, button);
  else if (button.dataset.action === "hand-back-match") await handBackMatch(page, button);
});
document.getElementById("unsent")?.addEventListener("click", () => editor.open(page.drafts.posts().find(Boolean)));
document.getElementById("undo")?.addEventListener("click", () => page.undo.takeBack());

// Files that are dropped anywhere: into the form, never instead of the page with all that is written in it

const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
document.addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
document.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  if (data.writes === "1") editor.takeFiles([...event.dataTransfer.files]);
});

// Keys

const keysOn = document.getElementById("keys-on");
keysOn.checked = localStorage.getItem("desk-keys") !== "off";
keysOn.addEventListener("change", () => localStorage.setItem("desk-keys", keysOn.checked ? "on" : "off"));

function step(by) {
  const all = rows(), now = all.indexOf(currentRow());
  all[Math.min(Math.max(now + by, 0), all.length - 1)]?.focus();
  currentRow()?.scrollIntoView({ block: "nearest" });
}

function press(...actions) {
  currentRow()?.querySelector(actions.map((each) => `[data-action="${each}"]`).join())?.click();
}

const keys = {
  c: () => editor.write(), j: () => step(1), k: () => step(-1), e: () => press("edit"),
  p: () => press("publish"), x: () => press("withdraw", "unschedule"), s: () => press("pin", "unpin"), h: () => press("history"), u: () => page.undo.takeBack(),
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
  if (event.key === "Escape" && editor.isEditing) editor.close();
  else if (event.key === "Escape" && place.contains(document.activeElement)) document.activeElement.blur();
  else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const form = document.activeElement?.closest?.("form");
    if (!form || !place.contains(form)) return;
    event.preventDefault();
    form.requestSubmit((event.shiftKey && form.querySelector("[data-new]")) || form.querySelector("button[value], button:not([type])"));
  } else if (keysOn.checked && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyped(event) && (!editor.isEditing || currentRow())) {
    const act_ = keys[event.key];
    if (!act_ || (data.writes === "0" && !"jkh?".includes(event.key))) return;
    event.preventDefault();
    act_();
  }
});

// News: by a request that the service holds until there is something new

async function beat() {
  const answers = !document.hidden && (await report("", "1"));
  setTimeout(beat, answers ? AT_ONCE : OFTEN);
}

addEventListener("beforeunload", (event) => editor.isWriting && event.preventDefault());
addEventListener("pagehide", () => (editor.keep(), report("1")));
document.addEventListener("visibilitychange", () => document.hidden || report());
times(document);
listenToMatch(page);
editor.begin();
showUnsent();
beat();
document.documentElement.dataset.ready = "1";
