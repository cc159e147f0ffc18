// <matchwire-liveblog liveblog-id="…" client-id="…">: a liveblog in somebody else's page, as its own page shows it.

import { Liveblog, parse } from "./liveblog.js";

const HERE = import.meta.url;
const ROOT = HERE.slice(0, HERE.lastIndexOf("/static/") + 1);
const STYLE = new URL("embed.css", HERE);
const POSTS = 50; // shown at first
const FIRST = 2000; // milliseconds before the second attempt to load, doubled with each failure
const LONGEST = 60000;
const PATIENCE = 15000; // for a response

function loaded(link) {
  return new Promise((resolve) => {
    link.addEventListener("load", resolve, { once: true });
    link.addEventListener("error", resolve, { once: true }); // better plain than not at all
  });
}

/**
 * Attributes: `liveblog-id` names the liveblog, `client-id` the client that embeds it; a service that is not public needs it;
 * `reader-sign-in` is a sign-in token of the reader who is logged in to the site (see docs/readers.md);
 * `delay` shows the liveblog as it stood so many seconds ago; `limit` is how many posts are shown at first, 1 to 300. An
 * article may hold the content already, in a declarative shadow root; then nothing is loaded but what changes.
 *
 * Dispatches `change` when something has changed (`detail`: `{version, title}`) and `withdraw` when nobody may read it any more.
 */
class MatchwireLiveblog extends HTMLElement {
  static observedAttributes = ["liveblog-id", "client-id", "limit", "delay"];
  #liveblog = null;
  #loading = null;

  connectedCallback() {
    const rendered = this.shadowRoot?.getElementById("liveblog");
    if (this.#liveblog) this.#liveblog.start();
    else if (rendered && !rendered.hidden) this.#follow(rendered);
    else this.#load();
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
    const page = new URL(`liveblogs/${encodeURIComponent(this.getAttribute("liveblog-id"))}`, ROOT);
    if (this.getAttribute("client-id")) page.searchParams.set("client_id", this.getAttribute("client-id"));
    if (this.getAttribute("delay")) page.searchParams.set("delay", this.getAttribute("delay"));
    return page;
  }

  async #load() {
    if (!this.getAttribute("liveblog-id")) return;
    const loading = (this.#loading = new AbortController());
    for (let failures = 0; !loading.signal.aborted; failures += 1) {
      try {
        return await this.#show(loading.signal);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, Math.min(FIRST * 2 ** failures, LONGEST)));
      }
    }
  }

  async #show(signal) {
    const address = this.#page;
    address.searchParams.set("fragment", "1");
    address.searchParams.set("limit", this.getAttribute("limit") ?? POSTS);
    const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const element = parse(await response.text(), this.#page);
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLE });
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    element.hidden = true; // until it is styled
    const styled = loaded(link);
    root.replaceChildren(link, element);
    await styled;
    element.hidden = false;
    if (!signal.aborted) this.#follow(element);
  }

  #follow(element) {
    const signIn = this.getAttribute("reader-sign-in");
    if (signIn) import("./reader.js").then(({ offerSignIn }) => offerSignIn(element.dataset.organization, signIn));
    this.#liveblog = new Liveblog(element, this.#page);
    this.#liveblog.addEventListener("change", ({ detail: { version, title } }) => {
      this.dispatchEvent(new CustomEvent("change", { detail: { version, title } }));
    });
    this.#liveblog.addEventListener("withdraw", () => this.dispatchEvent(new Event("withdraw")));
    this.#liveblog.start();
  }
}

customElements.define("matchwire-liveblog", MatchwireLiveblog);
