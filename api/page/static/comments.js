// Comments on the posts of a liveblog: a button at each post, and behind it, once a reader opens it, what was written and a
// form. Texts of readers are only ever set as text.

import { knownReader, knownToken, readerToken, signsIn } from "./reader.js";
import { written } from "./times.js";

const HERE = import.meta.url;
const ROOT = HERE.slice(0, HERE.lastIndexOf("/static/") + 1);
const STYLE = new URL("comments.css", HERE);
const ROUND = 30000; // milliseconds between two looks at the numbers: a comment steps no version, and no stream has it
const PATIENCE = 10000; // for a response
const LONGEST_NAME = 60;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// What keeps a request from being sent twice when its response was lost.
function newKey() {
  return globalThis.crypto?.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
}

// A name within a sentence, whatever way it is written.
function isolated(name) {
  return `\u2068${name}\u2069`;
}

class Refused extends Error {
  constructor(status) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** What stands below one post. */
class Panel {
  #of;
  #channel;
  #comments = new Map();
  #nodes = new Map();
  #next = null;
  #count = 0;
  #focused = null;

  constructor(of, channel) {
    this.#of = of;
    this.#channel = channel;
    this.button = element("button", { type: "button", className: "open", ariaExpanded: "false" });
    this.list = element("ol", { className: "list" });
    this.more = element("button", { type: "button", className: "more-comments", textContent: of.texts.more, hidden: true });
    this.status = element("p", { role: "status", className: "said" });
    this.inner = element("div", { className: "inner", hidden: true });
    this.section = element("section", { className: "comments" }, this.button, this.inner);
    this.button.addEventListener("click", () => this.#toggle());
    this.more.addEventListener("click", () => this.#attempt(() => this.#load()));
    this.section.addEventListener("focusin", (event) => (this.#focused = event.target));
    this.section.addEventListener("focusout", (event) => {
      if (event.relatedTarget) this.#focused = null;
    });
    this.count = 0;
  }

  get count() {
    return this.#count;
  }

  set count(number) {
    this.#count = number;
    this.button.textContent = `${this.#of.texts.open} (${number})`;
  }

  // Into the new form of its post; who was writing goes on writing.
  moveTo(post) {
    const focused = this.#focused;
    (post.querySelector("article") ?? post).append(this.section);
    if (focused?.isConnected && !(post.getRootNode().activeElement ?? document.body).matches("a, button, input, textarea")) {
      focused.focus({ preventScroll: true });
    }
  }

  async #toggle() {
    this.inner.hidden = !this.inner.hidden;
    this.button.ariaExpanded = String(!this.inner.hidden);
    if (this.inner.hidden || this.inner.hasChildNodes()) return;
    this.inner.append(this.#form(null, this.#of.texts.write), this.list, this.more, this.status);
    await this.#attempt(() => this.#load());
  }

  async #load() {
    const query = this.#next ? { next: this.#next } : {};
    const token = knownToken(this.#of.organization);
    const headers = token ? { "Reader-Token": token } : {};
    const anonymous = (error) => (error.status === 401 ? this.#of.fetched(this.#path(), { query }) : Promise.reject(error));
    const found = await this.#of.fetched(this.#path(), { query, headers }).catch(anonymous);
    this.#next = found.next;
    this.more.hidden = !found.next;
    this.count = found.total;
    for (const comment of found.comments) this.#comments.set(comment.id, comment);
    this.#arrange();
  }

  #path(rest = ".json") {
    return `api/comments/v1/owner/${this.#of.organization}/public/${encodeURIComponent(this.#channel)}/comments${rest}`;
  }

  // The newest first, replies below what they reply to, as they were written.
  #arrange() {
    const all = [...this.#comments.values()];
    const tops = all.filter((each) => !this.#comments.has(each.parent_id));
    this.list.replaceChildren(...tops.map((each) => this.#node(each)));
    for (const top of tops) {
      const replies = all.filter((each) => each.parent_id === top.id).reverse();
      const place = this.#node(top).querySelector(".replies");
      place.replaceChildren(...replies.map((each) => this.#node(each)));
      place.hidden = !replies.length;
    }
  }

  #node(comment) {
    if (!this.#nodes.has(comment.id)) this.#nodes.set(comment.id, this.#made(comment));
    return this.#nodes.get(comment.id);
  }

  #made(comment) {
    const { texts } = this.#of;
    const name = comment.author.name || texts.anonymous;
    const at = new Date(comment.created_at * 1000);
    const time = element("time", { dateTime: at.toISOString() }, written(at, "date", this.#of.language));
    const head = element("div", { className: "author" }, element("bdi", {}, element("b", { textContent: name })), " ", time);
    if (comment.author.image?.startsWith(ROOT)) head.prepend(element("img", { src: comment.author.image, alt: "", width: 24, height: 24 }));
    const waits = comment.status === "approved" ? [] : [element("p", { className: "waits", textContent: texts.waiting })];
    const deeds = waits.length ? [] : [this.#deeds(comment, name)];
    const article = element("article", {}, head, element("p", { className: "text", dir: "auto", textContent: comment.text }), ...waits, ...deeds);
    article.ariaLabel = name;
    return element("li", { className: "comment" }, article, element("ol", { className: "replies", hidden: true }));
  }

  #deeds(comment, name) {
    const { texts } = this.#of;
    const like = element("button", { type: "button", className: "like", ariaPressed: String(Boolean(comment.liked)) });
    const liked = (likes) => (like.textContent = `${texts.like} (${likes})`);
    liked(comment.likes);
    like.addEventListener("click", () =>
      this.#attempt(async () => {
        const wanted = like.ariaPressed !== "true";
        const found = await this.#write(`/${comment.id}/like.json`, { liked: wanted });
        like.ariaPressed = String(found.liked);
        liked(found.likes);
      }),
    );
    const report = element("button", { type: "button", className: "report", textContent: texts.report });
    report.addEventListener("click", () =>
      this.#attempt(async () => {
        if (report.ariaDisabled === "true") return;
        await this.#write(`/${comment.id}/report.json`);
        report.ariaDisabled = "true";
        report.textContent = texts.reported;
      }),
    );
    const row = element("div", { className: "deeds" }, like, report);
    if (!comment.parent_id) {
      const named = texts.reply_to.replace("{name}", () => isolated(name));
      const reply = element("button", { type: "button", className: "reply", textContent: texts.reply, ariaLabel: named });
      reply.addEventListener("click", () => this.#reply(comment, row, named));
      row.prepend(reply);
    }
    return row;
  }

  #reply(comment, row, named) {
    const before = row.parentElement.querySelector("form");
    if (!before) row.after(this.#form(comment.id, named));
    row.parentElement.querySelector("textarea").focus();
  }

  #form(parent, called) {
    const { texts, organization } = this.#of;
    const known = knownReader(organization).name ?? "";
    const name = element("input", { name: "name", maxLength: LONGEST_NAME, autocomplete: "nickname", value: known });
    const text = element("textarea", { name: "text", required: true, rows: 3 });
    const form = element("form", {});
    if (!signsIn(organization)) form.append(element("label", {}, texts.name, name));
    form.append(element("label", {}, called, text), element("button", { type: "submit", textContent: texts.send }));
    let key = newKey();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (form.ariaBusy === "true") return;
      form.ariaBusy = "true";
      const body = { text: text.value, ...(parent ? { parent_id: parent } : {}) };
      this.#attempt(async () => {
        const comment = await this.#write(".json", body, { name: name.value.trim(), key });
        key = newKey();
        this.#sent(comment);
        if (parent) {
          form.remove();
          this.#node(comment).tabIndex = -1;
          this.#node(comment).focus();
        } else text.value = "";
      }).then(() => (form.ariaBusy = "false"));
    });
    return form;
  }

  #sent(comment) {
    const { texts } = this.#of;
    const fresh = !this.#comments.has(comment.id);
    this.#comments = new Map([[comment.id, comment], ...this.#comments]);
    this.#arrange();
    if (fresh && comment.status === "approved") this.count += 1;
    this.status.textContent = comment.status === "approved" ? texts.sent : texts.waiting;
  }

  // Writes as the reader, who becomes a new one where the token is no longer valid.
  async #write(rest, body = {}, { name = "", key } = {}) {
    const send = async (fresh) => {
      const token = await readerToken(this.#of.page, this.#of.organization, fresh, name);
      const headers = { "Reader-Token": token, ...(key ? { "Idempotency-Key": key } : {}) };
      return this.#of.fetched(this.#path(rest), { body, headers });
    };
    try {
      return await send(false);
    } catch (error) {
      if (error.status !== 401) throw error;
      return send(true);
    }
  }

  async #attempt(work) {
    this.status.textContent = "";
    try {
      await work();
    } catch (error) {
      const { texts } = this.#of;
      const said = { 403: texts.closed, 409: texts.again, 422: texts.long, 429: texts.busy };
      this.status.textContent = said[error.status] ?? texts.failed;
    }
  }
}

/** The comments of a liveblog in `element`, whose page has the address `page`. */
export class Comments {
  #element;
  #list;
  #panels = new Map();

  constructor(shown, page) {
    this.#element = shown;
    this.page = page;
    this.#list = shown.querySelector(".stream ol");
    this.organization = shown.dataset.organization;
    this.texts = JSON.parse(shown.dataset.comments);
    this.language = shown.lang || "en";
    const root = shown.getRootNode();
    (root.head ?? root).append(element("link", { rel: "stylesheet", href: STYLE }));
    new MutationObserver(() => this.#attach()).observe(this.#list, { childList: true });
    this.#attach();
    this.#count();
    setInterval(() => this.#count(), ROUND);
  }

  // The JSON of a response; with a body it is a POST.
  async fetched(path, { body, headers = {}, query = {} } = {}) {
    const address = new URL(path, ROOT);
    const { searchParams: known } = new URL(this.page);
    for (const name of ["client_id", "delay"]) if (known.has(name)) address.searchParams.set(name, known.get(name));
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(address, { ...sent, headers, signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Refused(response.status);
    return response.json();
  }

  #attach() {
    for (const post of this.#list.querySelectorAll(":scope > .post")) {
      if (post.querySelector(".comments")) continue;
      if (!this.#panels.has(post.id)) this.#panels.set(post.id, new Panel(this, post.id));
      this.#panels.get(post.id).moveTo(post);
    }
  }

  async #count() {
    if (document.hidden || !this.#element.isConnected) return;
    try {
      const name = encodeURIComponent(this.#element.dataset.name);
      const { counts } = await this.fetched(`api/comments/v1/liveblog/${name}/counts.json`);
      for (const [id, panel] of this.#panels) panel.count = counts[id] ?? 0;
    } catch {
      // the next round may know
    }
  }
}
