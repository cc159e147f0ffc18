// <matchwire-liveblog liveblog-id="…" client-id="…">: a liveblog in somebody else's page, as its own page shows it, and
// <matchwire-liveblog-teaser>: its score and its newest headlines.

import { Liveblog, parse } from "./liveblog.js";

const HERE = import.meta.url;
const ROOT = HERE.slice(0, HERE.lastIndexOf("/static/") + 1);
const STYLE = new URL("embed.css", HERE);
const POSTS = 50; // shown at first
const FIRST = 2000; // milliseconds before the second attempt to load, doubled with each failure
const LONGEST = 60000;
const PATIENCE = 15000; // for a response
const POST = /^#([A-Za-z0-9_-]{2,64})$/; // how an article's address names a post
const TEASER = 60000; // milliseconds after which a teaser looks again
const PARAMETERS = { // attribute: parameter of the page
  "liveblog-id": "", "client-id": "client_id", delay: "delay", "theme-id": "themeId", tags: "tags",
  highlights: "highlights", "event-types": "event_types", sort: "sort",
};
const TEASER_PARAMETERS = { ...PARAMETERS, "liveblog-id": "liveblogId", "liveblog-url": "liveblogUrl" };

const READER = "matchwire.reader."; // where reader.js keeps tokens

function isKept(key) {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function loaded(link) {
  return new Promise((resolve) => {
    link.addEventListener("load", resolve, { once: true });
    link.addEventListener("error", resolve, { once: true }); // better plain than not at all
  });
}

// What both elements know of the liveblog: attributes in either spelling, `liveblog-id` and `liveblogId` (which HTML reads as
// `liveblogid`), as articles of other services write them.
class Embedded extends HTMLElement {
  named(name) {
    return this.getAttribute(name) || this.getAttribute(name.replaceAll("-", ""));
  }

  // The address at `path` with those of these attributes that there are, each as a parameter.
  address(path, parameters) {
    const address = new URL(path, ROOT);
    for (const [name, parameter] of Object.entries(parameters)) {
      const value = this.named(name);
      if (value && parameter) address.searchParams.set(parameter, value);
    }
    return address;
  }

  // Calls `load` until it succeeds or the element is gone.
  async loadUntil(signal, load) {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        return await load();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, Math.min(FIRST * 2 ** failures, LONGEST)));
      }
    }
    return undefined;
  }

  async fetched(address, signal) {
    const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response;
  }

  // Shows `element` in the shadow root as soon as it is styled; until then what stands there already, or in the article.
  async show(element) {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLE });
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const styled = loaded(link);
    if (root.childNodes.length) root.append(link);
    else root.append(link, document.createElement("slot"));
    await styled;
    root.replaceChildren(link, element);
    this.replaceChildren();
  }

  // The content that the article may hold, once the browser has read it all.
  async content(selector) {
    if (document.readyState === "loading" && !this.querySelector(selector)) {
      await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
    }
    return (this.shadowRoot ?? this).querySelector(selector);
  }
}

/**
 * Attributes: `liveblog-id` names the liveblog, `client-id` the client that embeds it; a service that is not public needs it;
 * `theme-id` names a theme that says which posts are shown; `tags`, `highlights`, `event-types` and `sort` lie over it;
 * `liveblog-url` is the article's address, to which links to posts lead;
 * `reader-sign-in` is a sign-in token of the reader who is logged in to the site (see docs/readers.md);
 * `delay` shows the liveblog as it stood so many seconds ago; `limit` is how many posts are shown at first, 1 to 300. An
 * article may hold the content already; then nothing is loaded but what changes.
 *
 * Dispatches `change` when something has changed (`detail`: `{version, title}`) and `withdraw` when nobody may read it any more.
 */
class MatchwireLiveblog extends Embedded {
  static observedAttributes = [...Object.keys(PARAMETERS), "limit"].flatMap((name) => [name, name.replaceAll("-", "")]);
  #liveblog = null;
  #loading = null;

  async connectedCallback() {
    if (this.#liveblog) return this.#liveblog.start();
    const loading = (this.#loading = new AbortController());
    const rendered = await this.content("#liveblog");
    if (loading.signal.aborted) return undefined;
    const there = rendered && !rendered.hidden && (!this.#linked || rendered.querySelector(`[id="${this.#linked}"]`));
    return there ? this.#adopt(rendered, loading.signal) : this.#load();
  }

  disconnectedCallback() {
    this.#loading?.abort();
    this.#liveblog?.stop();
  }

  attributeChangedCallback(_name, before, after) {
    if (before === after || !this.isConnected || !(this.#liveblog || this.#loading)) return;
    this.disconnectedCallback();
    this.#liveblog = null;
    this.#load();
  }

  get #page() {
    return this.address(`liveblogs/${encodeURIComponent(this.named("liveblog-id"))}`, PARAMETERS);
  }

  get #article() {
    return this.named("liveblog-url") ?? "";
  }

  // The post that the article's address names.
  get #linked() {
    return location.hash.match(POST)?.[1];
  }

  // What the article holds goes on as it is; other rules of the article reach it no more.
  async #adopt(rendered, signal) {
    if (!this.shadowRoot) await this.show(rendered);
    if (!signal.aborted) await this.#follow(rendered, signal);
  }

  async #load() {
    if (!this.named("liveblog-id")) return;
    const { signal } = (this.#loading = new AbortController());
    await this.loadUntil(signal, async () => {
      const address = this.#page;
      address.searchParams.set("fragment", "1");
      if (this.named("limit") || !this.named("theme-id")) address.searchParams.set("limit", this.named("limit") ?? POSTS);
      if (this.#linked) address.searchParams.set("post", this.#linked);
      const element = parse(await (await this.fetched(address, signal)).text(), this.#page, this.#article);
      await this.show(element);
      if (!signal.aborted) await this.#follow(element, signal);
    });
  }

  // Who the reader is comes first, so that nothing is shown that belongs to whoever was logged in to the site before.
  async #identify(organization, signal) {
    const signIn = this.named("reader-sign-in");
    if (!signIn && !isKept(`${READER}${organization}`)) return;
    const { offerSignIn, signOut } = await import("./reader.js");
    if (signal.aborted) return;
    if (signIn) offerSignIn(organization, signIn);
    else signOut(organization);
  }

  async #follow(element, signal) {
    await this.#identify(element.dataset.organization, signal);
    if (signal.aborted) return;
    this.#liveblog = new Liveblog(element, this.#page, this.#article);
    this.#liveblog.addEventListener("change", ({ detail: { version, title } }) => {
      this.dispatchEvent(new CustomEvent("change", { detail: { version, title } }));
    });
    this.#liveblog.addEventListener("withdraw", () => this.dispatchEvent(new Event("withdraw")));
    this.#liveblog.start();
    if (this.#linked) this.#liveblog.show(this.#linked);
  }
}

/**
 * The board and the newest headlines, as links to the liveblog. Attributes: `liveblog-id`, `client-id`, `theme-id` and `delay` as
 * above; `liveblog-url` is the address that the links lead to.
 */
class MatchwireLiveblogTeaser extends Embedded {
  #loading = null;
  #timer = null;

  async connectedCallback() {
    const { signal } = (this.#loading = new AbortController());
    const rendered = await this.content(".matchwire");
    if (signal.aborted) return;
    if (rendered && !this.shadowRoot) await this.show(rendered);
    if (!rendered) await this.#load(signal);
    if (signal.aborted) return;
    this.#timer = setInterval(() => document.hidden || this.#load(signal), TEASER);
  }

  disconnectedCallback() {
    this.#loading?.abort();
    clearInterval(this.#timer);
  }

  async #load(signal) {
    if (!this.named("liveblog-id")) return;
    const address = this.address("api/embed/v4/prefetch/liveblog-teaser.json", TEASER_PARAMETERS);
    if (!this.named("liveblog-url")) address.searchParams.set("includeLiveblogUrl", location.origin);
    await this.loadUntil(signal, async () => {
      const { html } = await (await this.fetched(address, signal)).json();
      const found = new DOMParser().parseFromString(html, "text/html").querySelector(".matchwire");
      await this.show(document.adoptNode(found));
    });
  }
}

/** Defines the element, and with `-teaser` behind the name that of teasers; a name that is defined stays as it is. */
export function define(name) {
  for (const [each, element] of [[name, MatchwireLiveblog], [`${name}-teaser`, MatchwireLiveblogTeaser]]) {
    if (!customElements.get(each)) customElements.define(each, class extends element {});
  }
}

define("matchwire-liveblog");
