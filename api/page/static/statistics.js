// Reports that a liveblog is being read: once it is visible, at each click on load more, and for how long it was visible when
// it is left. No cookie, nothing that is kept, nothing that names the reader; who objects to being followed is not reported.

const COLLECT = "../api/analytics/v6/collect"; // seen from the page
const LONGEST = 86400000; // milliseconds that one report may speak of

// The page in whose frame it is, where it is in one.
function place(page) {
  const frame = new URL("../embed/", page);
  const framed = window !== parent && location.origin === frame.origin && location.pathname.startsWith(frame.pathname);
  return (framed ? document.referrer : location.href).split(/[?#]/)[0];
}

export class Visit {
  #name;
  #address;
  #place;
  #since = null; // when it became visible
  #loaded = false;
  #timed = false;

  constructor(liveblog, page, signal) {
    if (navigator.doNotTrack === "1" || navigator.globalPrivacyControl) return;
    this.#name = liveblog.element.dataset.name;
    this.#address = new URL(COLLECT, page);
    const client = new URL(page).searchParams.get("client_id");
    if (client) this.#address.searchParams.set("client_id", client);
    this.#place = place(page);
    liveblog.addEventListener("more", () => this.#report({ kind: "load_more" }), { signal });
    document.addEventListener("visibilitychange", () => this.#look(), { signal });
    addEventListener("pagehide", () => this.#leave(), { signal });
    addEventListener("pageshow", () => this.#look(), { signal });
    signal.addEventListener("abort", () => this.#leave());
    this.#look();
  }

  #look() {
    if (document.hidden) return this.#leave();
    this.#since ??= performance.now();
    if (!this.#loaded) this.#report({ kind: "load" });
    this.#loaded = true;
  }

  #leave() {
    if (this.#since === null) return;
    const ms = Math.min(Math.round(performance.now() - this.#since), LONGEST);
    this.#since = null;
    this.#report({ kind: "retention", ms, first: !this.#timed });
    this.#timed = true;
  }

  // As plain text, which a browser may send to another site without a question before.
  #report(what) {
    navigator.sendBeacon(this.#address, JSON.stringify({ ...what, liveblog: this.#name, url: this.#place.slice(0, 2048) }));
  }
}
