// A liveblog that keeps itself up to date, on its own page and wherever it is embedded: listens for changes, requests them
// where it cannot listen, and lets the clock go on.

import { localise } from "./times.js";

const STREAM = "../api/embed/v4/stream"; // seen from the page
const FIRST = 1000; // milliseconds before the first new attempt, doubled with each failure
const LONGEST = 30000;
const POLL = 4000; // between two requests while there is no stream
const PATIENCE = 10000; // for a response
const SILENCE = 40000; // a stream that has said nothing for so long is dead: it beats every 15 seconds
const STEADY = 10000; // a stream that lasted so long did not fail
const FEW = 3;
const KEPT = ["client_id", "delay"]; // parameters of the page that its links have too
const PAUSE = 5000; // between two announcements
const WORDS = 80; // letters of a text that are announced
const COPIED = 3000; // for which the button says that the address is copied
const VIEW = ["fragment", "refresh", "limit", "post", "continue_event_id", "show"]; // parameters of what a reader looks at
const STOPPED = 30; // minutes of added time after which nobody has stopped the clock

// The pairs of what the old and the new form of a post have alike.
function pairs(before, after, selector) {
  const found = [...after.querySelectorAll(selector)];
  return [...before.querySelectorAll(selector)].map((old, index) => [old, found[index]]).filter(([, young]) => young);
}

function isPinned(post) {
  return post.classList.contains("pinned");
}

// Pinned posts first, then by their place in the liveblog.
function rank(post) {
  return (isPinned(post) ? "1" : "0") + post.dataset.sort;
}

// Whether `post` stands below `other` in a list whose newest post comes first, or last.
function below(post, other, newestFirst) {
  if (isPinned(post) !== isPinned(other)) return isPinned(other);
  return newestFirst ? post.dataset.sort < other.dataset.sort : post.dataset.sort > other.dataset.sort;
}

// Addresses are the same wherever the liveblog is shown; those of posts lead to the article where it names itself.
function resolve(within, page, article) {
  const parameters = new URL(page).searchParams;
  const ours = new URL(page).origin + new URL(page).pathname;
  for (const link of within.querySelectorAll(".filters a, .sections a, a.newer, a.more, a.link, .moments a")) {
    const address = new URL(link.getAttribute("href"), page);
    const ofPost = link.matches("a.link, .moments a");
    if (ofPost && article) link.href = article + address.hash;
    if (address.origin + address.pathname !== ours || (ofPost && article)) continue;
    for (const name of KEPT) if (parameters.has(name)) address.searchParams.set(name, parameters.get(name));
    link.href = address;
  }
  for (const image of within.querySelectorAll("img")) {
    image.src = new URL(image.getAttribute("src"), page);
    if (image.srcset) image.srcset = image.srcset.replace(/[^\s,]*\/[^\s,]*/g, (address) => new URL(address, page));
  }
}

/** The liveblog in what the server has rendered, to be put into this document. */
export function parse(html, page, article = "") {
  const element = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  resolve(element, page, article);
  return document.adoptNode(element); // so that a video which is put into it goes on
}

// The link of that kind on which the reader clicked, unless it shall open elsewhere.
function clicked(event, selector) {
  return event.ctrlKey || event.metaKey || event.shiftKey ? null : event.target.closest(selector);
}

// What a card, a video or a frame loads.
function source(media) {
  return media.src ?? media.dataset.frame ?? media.querySelector(".play").href;
}

function focus(post) {
  post.tabIndex = -1;
  post.focus({ preventScroll: true });
}

// What a post is called: what happened, or the first words of its text.
function called(post) {
  const heads = [...post.querySelectorAll(".headline, .incident")].map((each) => each.textContent.trim());
  const words = heads.join(". ") || (post.querySelector(".body")?.textContent ?? "").trim().slice(0, WORDS);
  return [post.querySelector(".when b")?.textContent, words].filter(Boolean).join(" ");
}

// What a provider shows in a frame of its own: without access to this page, with the name of this site, which some want.
function framed(card) {
  const frame = document.createElement("iframe");
  const { width, height } = card.querySelector("svg").viewBox.baseVal;
  Object.assign(frame, { width, height, title: card.querySelector("b").textContent, allowFullscreen: true });
  frame.allow = "autoplay; encrypted-media; fullscreen; picture-in-picture";
  frame.referrerPolicy = "strict-origin-when-cross-origin";
  frame.sandbox = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation";
  frame.style.aspectRatio = `${width} / ${height}`;
  frame.src = card.dataset.frame;
  return frame;
}

function player(card, link) {
  const video = document.createElement("video");
  const { width, height } = card.querySelector("svg").viewBox.baseVal;
  Object.assign(video, { src: link.href, controls: true, autoplay: true, playsInline: true, width, height });
  video.ariaLabel = card.querySelector("b").textContent;
  return video;
}

// A third party hears of the reader when the reader wants it.
function play(event) {
  const link = clicked(event, ".play");
  if (!link) return;
  event.preventDefault();
  const card = link.closest(".consent");
  const media = card.dataset.frame ? framed(card) : player(card, link);
  card.replaceWith(media);
  media.focus();
}

/**
 * Follows a liveblog that the server has rendered into `element`.
 *
 * `page` is the address of its page, with the parameters that requests shall have. The addresses of images in what the server
 * sends may be relative to it. `article` is where links to posts lead instead, empty for that page.
 *
 * Dispatches `change` after something has changed (`detail`: what the server sent), `more` after older posts were appended, and
 * `withdraw` when nobody may read it any more.
 */
export class Liveblog extends EventTarget {
  #page;
  #article;
  #list;
  #language;
  #version;
  #shown = { board: null, sections: null, moments: null, squads: null }; // what they were made of
  #turn = 0; // of the attempts to connect: the latest one counts
  #failures = 0; // requests in a row without a response
  #refused = 0; // streams in a row that did not last
  #rounds = 0;
  #source = null;
  #timer = null;
  #alarm = null;
  #ahead = 0; // milliseconds that the server's clock is ahead of ours
  #running = null;
  #fresh = []; // posts that the last change brought
  #heard = []; // what it corrected and took away
  #unread = new Set(); // ids of posts that came above what the reader sees
  #announcements = [];
  #announced = null;
  #lost = false;
  #polls = null; // a promise of what takes votes, once there is a poll

  constructor(element, page, article = "") {
    super();
    this.element = element;
    this.#page = page;
    this.#article = article;
    this.#list = element.querySelector(".stream ol");
    this.#language = element.closest("[lang]")?.lang || "en";
    this.#version = Number(element.dataset.version);
    element.addEventListener("click", play);
    element.addEventListener("click", (event) => this.#more(event));
    element.addEventListener("click", (event) => this.#jump(event));
    element.addEventListener("click", (event) => this.#rise(event));
    element.addEventListener("click", (event) => this.#share(event));
    localise(element, this.#language);
    this.#offerSharing(element);
    this.#tick();
    if (element.dataset.comments) import("./comments.js").then(({ Comments }) => new Comments(element, page));
    this.#showPolls();
  }

  get version() {
    return this.#version;
  }

  // Keeps it up to date until `stop`, as long as somebody can see the page.
  start() {
    if (this.#running) return;
    this.#running = new AbortController();
    const { signal } = this.#running;
    const visible = () => (document.hidden ? this.#close() : this.#connect());
    document.addEventListener("visibilitychange", visible, { signal });
    addEventListener("online", () => this.#connect(), { signal });
    addEventListener("offline", () => this.#disconnected(true), { signal });
    addEventListener("scroll", () => this.#scrolled(), { signal, passive: true, capture: true });
    this.#report(signal);
    const clock = setInterval(() => this.#tick(), 1000);
    signal.addEventListener("abort", () => clearInterval(clock));
    visible();
  }

  // Readers are counted where the organization wants it, once a stay in the document.
  #report(signal) {
    if (!this.element.dataset.counted) return;
    import("./statistics.js").then(({ Visit }) => signal.aborted || new Visit(this, this.#page, signal)).catch(() => {});
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
    this.#close();
  }

  // What is shown

  #tick() {
    if (this.#lost) return; // nobody knows what happens meanwhile
    for (const clock of this.element.querySelectorAll(".clock[data-started]")) {
      const now = (Date.now() + this.#ahead) / 1000 - Number(this.element.dataset.delay);
      const [started, base, length] = ["started", "base", "length"].map((name) => Number(clock.dataset[name]));
      const gone = Math.floor(Math.max(0, now - started) / 60);
      const added = length ? gone - length + 1 : 0;
      clock.textContent = added > STOPPED ? "" : added > 0 ? `${base + length}+${added}'` : `${base + gone + 1}'`;
    }
  }

  #parsed(html) {
    const element = parse(html, this.#page, this.#article);
    localise(element, this.#language);
    this.#offerSharing(element);
    return element;
  }

  #posts() {
    return [...this.#list.querySelectorAll(":scope > .post")];
  }

  // Puts the new form of a post into the place of the old one, or before `next`; what the reader has done to it stays done.
  #exchange(before, after, next = before.nextSibling) {
    const active = this.element.getRootNode().activeElement;
    for (const [old, young] of pairs(before, after, "details")) young.open = old.open;
    const scrolled = pairs(before, after, ".slides").map(([old, young]) => [young, old.scrollLeft]);
    const focused = pairs(before, after, "a, summary, .slides").find(([old]) => old === active)?.[1];
    for (const media of before.querySelectorAll("video, iframe")) {
      const same = [...after.querySelectorAll(".consent, video, iframe")].find((each) => source(each) === media.src);
      same?.replaceWith(media);
    }
    before.remove();
    this.#list.insertBefore(after, next);
    for (const [slides, left] of scrolled) slides.scrollLeft = left;
    (/^(VIDEO|IFRAME)$/.test(active?.tagName) && active.isConnected ? active : focused)?.focus({ preventScroll: true });
  }

  // Whether the post stands on another page: above the others on none, at its time on that of the posts around it.
  #elsewhere(post) {
    const { more, newer } = this.element.dataset;
    const { sort } = post.dataset;
    const { newest, oldest } = this.#list.dataset;
    const [ahead, beyond] = this.#list.reversed ? [sort > newest, sort < oldest] : [sort < oldest, sort > newest];
    return !isPinned(post) && ((more === "1" && beyond) || (newer === "1" && ahead));
  }

  #place(before, html) {
    if (!html) return before && this.#remove(before);
    const after = this.#parsed(html);
    const next = this.#posts().find((post) => post !== before && below(post, after, this.#list.reversed));
    if (!before && !next && this.element.dataset.more === "1") return undefined; // older than what is shown
    if (before && isPinned(before) && this.#elsewhere(after)) return this.#drop(before);
    const text = before?.querySelector(".body")?.textContent;
    if (before && text !== after.querySelector(".body")?.textContent) this.#heard.push(this.#said("corrected", called(after)));
    if (before && rank(before) === rank(after)) return this.#exchange(before, after);
    if (before) return this.#exchange(before, after, next ?? null);
    this.#fresh.push(after);
    const first = this.#posts().find((post) => !isPinned(post));
    if (this.element.dataset.newer === "1" && !isPinned(after) && next === first) return undefined; // on the first page
    after.classList.add("fresh");
    return this.#list.insertBefore(after, next ?? null);
  }

  // A post that is not above the others any more, though it has not changed: more have come than stand there.
  #lower(post) {
    post.classList.remove("pinned");
    post.querySelector(".pin").remove();
    if (this.#elsewhere(post)) return this.#drop(post);
    const next = this.#posts().find((each) => each !== post && below(each, post, this.#list.reversed));
    return this.#list.insertBefore(post, next ?? null);
  }

  #remove(post) {
    this.#heard.push(this.#said("withdrawn", called(post)));
    this.#drop(post);
  }

  // Takes a post away; who had the focus in it goes on at its neighbour.
  #drop(post) {
    const focused = post.contains(this.element.getRootNode().activeElement);
    const neighbour = focused && (post.nextElementSibling ?? post.previousElementSibling);
    this.#unread.delete(post.id);
    post.remove();
    if (neighbour) focus(neighbour);
  }

  #replace(name, html, put) {
    if (this.#shown[name] === html) return;
    this.#shown[name] = html;
    const address = this.element.getRootNode().activeElement?.href;
    const element = html ? this.#parsed(html) : null;
    const opened = Boolean(this.element.querySelector(`.${name} details[open]`));
    if (opened) element?.querySelector("details")?.setAttribute("open", "");
    put(element);
    if (this.element.getRootNode().activeElement?.href !== address && element) {
      [...element.querySelectorAll("a")].find((link) => link.href === address)?.focus({ preventScroll: true });
    }
  }

  #settle({ posts: changed, pinned, since, label, board, sections, moments, squads }) {
    const known = new Map(this.#posts().map((post) => [post.id, post]));
    if (since === 0) for (const post of known.values()) post.remove();
    for (const { id, html } of changed) this.#place(since === 0 ? undefined : known.get(id), html);
    for (const post of this.#posts()) if (isPinned(post) && !pinned.includes(post.id)) this.#lower(post);
    this.#list.querySelector(":scope > .nothing")?.remove();
    if (!this.#list.children.length) {
      const nothing = this.#list.appendChild(document.createElement("li"));
      nothing.className = "nothing";
      nothing.textContent = this.#list.dataset.nothing;
    }
    this.#list.parentElement.setAttribute("aria-label", label);
    this.#replace("board", board, (element) => this.element.querySelector(".board").replaceWith(element));
    if (sections) this.#replace("sections", sections, (element) => this.element.querySelector(".sections")?.replaceWith(element));
    this.#replace("moments", moments, (element) => {
      this.element.querySelector(".moments")?.remove();
      if (element) this.#list.parentElement.before(element);
    });
    this.#replace("squads", squads, (element) => {
      this.element.querySelector(".squads")?.remove();
      if (element) this.element.querySelector(".columns").append(element);
    });
    this.#tick();
    this.#showPolls();
  }

  // Polls need a module of their own, which is loaded where a poll stands.
  #showPolls() {
    if (!this.element.querySelector(".poll")) return;
    this.#polls ??= import("./polls.js").then(({ Polls }) => new Polls(this.element, this.#page));
    this.#polls.then((polls) => polls.show()).catch(() => (this.#polls = null)); // the results are there to read
  }

  // What is said, in the liveblog's language

  #said(name, text) {
    return this.#list.parentElement.dataset[name].replace("{text}", () => text);
  }

  #counted(count) {
    const { one, several } = this.#list.parentElement.dataset;
    return count === 1 ? one : several.replace("2", count);
  }

  #score() {
    const [home, away] = this.element.querySelectorAll(".board .team .name");
    const [ours, theirs] = this.element.querySelectorAll(".board .score > span");
    const isolated = (name) => `\u2068${name.textContent}\u2069`;
    return theirs && away ? `${isolated(home)} ${ours.textContent}, ${isolated(away)} ${theirs.textContent}` : "";
  }

  // What the last change did, of more than a few new posts their number alone; `before` was the score.
  #announce(before, reading) {
    const names = this.#fresh.length > FEW ? [this.#counted(this.#fresh.length)] : this.#fresh.map(called);
    const score = this.#score();
    this.#say([...this.#heard, ...names, ...(score === before ? [] : [score])].join(". "));
    if (reading || this.element.dataset.newer === "1") for (const post of this.#fresh) this.#unread.add(post.id);
    this.#counts();
  }

  // One announcement at a time, and a pause after each, for those who listen; the newest score last.
  #say(text) {
    if (text) this.#announcements.push(text);
    if (this.#announced || !this.#announcements.length) return;
    this.element.querySelector(".announcer").textContent = this.#announcements.join(". ");
    this.#announcements = [];
    this.#announced = setTimeout(() => {
      this.#announced = null;
      this.#say();
    }, PAUSE);
  }

  // What came above what the reader sees waits for a click.
  #scrolled() {
    if (this.#unread.size && this.#list.getBoundingClientRect().top >= 0 && this.element.dataset.newer !== "1") {
      this.#unread.clear();
      this.#counts();
    }
  }

  #counts() {
    const button = this.element.querySelector(".news");
    button.hidden = !this.#unread.size;
    button.textContent = this.#counted(this.#unread.size);
  }

  #rise(event) {
    if (!event.target.closest(".news")) return;
    const first = this.element.querySelector("a.newer");
    if (first) return location.assign(first.href);
    const post = this.#posts().find((each) => this.#unread.has(each.id)) ?? this.#posts()[0];
    this.#unread.clear();
    this.#counts();
    this.#list.parentElement.scrollIntoView();
    if (post) focus(post);
  }

  // The sign that nothing is heard at the moment.
  #disconnected(lost) {
    if (lost === this.#lost) return;
    this.#lost = lost;
    const sign = this.element.querySelector(".lost");
    sign.hidden = !lost;
    if (lost) this.#say(sign.textContent);
    this.#tick();
  }

  // Whoever reads further down goes on reading the same line; nobody follows a post that moves to its place.
  #steadily(change) {
    const reading = this.#list.getBoundingClientRect().top < 0;
    const seen = this.#posts().filter((post) => post.getBoundingClientRect().bottom > 0);
    const before = seen.map((post) => [post.id, post.getBoundingClientRect(), rank(post)]);
    change();
    if (!reading) return;
    const after = new Map(this.#posts().map((post) => [post.id, post]));
    const [id, box] = before.find(([name, , place]) => after.has(name) && rank(after.get(name)) === place) ?? [];
    if (id !== undefined) scrollBy({ top: after.get(id).getBoundingClientRect().top - box.top, behavior: "instant" });
  }

  #withdraw() {
    this.#list.replaceChildren();
    this.element.hidden = true;
    this.#version = 0;
    this.dispatchEvent(new Event("withdraw"));
  }

  // Applies what has changed; false where something in between is missing.
  #apply(changes) {
    if (changes.status !== 0) {
      this.#withdraw();
      return true;
    }
    if (changes.since > this.#version) return false;
    if (changes.since !== 0 && changes.version <= this.#version) return true;
    this.element.hidden = false;
    const [score, reading] = [this.#score(), this.#list.getBoundingClientRect().top < 0];
    this.#fresh = [];
    this.#heard = [];
    this.#steadily(() => this.#settle(changes));
    this.#version = changes.version;
    if (changes.since !== 0) this.#announce(score, reading); // a whole page is not read out
    this.dispatchEvent(new CustomEvent("change", { detail: changes }));
    return true;
  }

  // Shows the post of a key moment, or a section: in a shadow root no address leads to it.
  #jump(event) {
    const link = clicked(event, ".moments a, .sections a");
    const places = [...this.#posts(), ...this.element.querySelectorAll("[id^=section-]")];
    const place = link && places.find((each) => `#${encodeURIComponent(each.id)}` === link.hash);
    if (!place) return;
    event.preventDefault();
    if (link.pathname === location.pathname && link.host === location.host) history.pushState(null, "", link.href);
    place.scrollIntoView();
    focus(place);
  }

  #offerSharing(within) {
    const able = Boolean(navigator.share || navigator.clipboard);
    for (const button of within.querySelectorAll(".share-page")) button.hidden = !able;
  }

  // Shares the address of the page; copies it where nothing can be shared.
  async #share(event) {
    const button = event.target.closest(".share-page");
    if (!button) return;
    const address = new URL(this.#page);
    address.hash = "";
    for (const name of VIEW) address.searchParams.delete(name);
    const title = this.element.querySelector(".board h1").textContent;
    try {
      if (navigator.share) return await navigator.share({ title, url: address.href });
      await navigator.clipboard.writeText(address.href);
    } catch {
      return; // the reader thought better of it, or may not
    }
    const label = button.querySelector("span");
    const before = label.textContent;
    label.textContent = button.dataset.copied;
    button.classList.add("said");
    this.#say(button.dataset.copied);
    setTimeout(() => {
      label.textContent = before;
      button.classList.remove("said");
    }, COPIED);
  }

  /** Shows the post of that id, if it is there. */
  show(id) {
    const post = this.#posts().find((each) => each.id === id);
    if (!post) return;
    post.scrollIntoView();
    focus(post);
  }

  // Appends the posts that follow the last one.
  async #more(event) {
    const link = clicked(event, "a.more");
    if (!link) return;
    event.preventDefault();
    if (link.ariaBusy === "true") return;
    link.ariaBusy = "true";
    try {
      const address = this.#address({ fragment: "1" });
      for (const [name, value] of new URL(link.href).searchParams) address.searchParams.set(name, value);
      const found = parse(await (await this.#fetched(address)).text(), this.#page, this.#article);
      localise(found, this.#language);
      const known = new Set(this.#posts().map((post) => post.id));
      const older = [...found.querySelectorAll(".stream ol > .post:not(.pinned)")].filter((post) => !known.has(post.id));
      this.#list.append(...older);
      const end = this.#list.reversed ? "oldest" : "newest";
      this.#list.dataset[end] = found.querySelector(".stream ol").dataset[end] ?? this.#list.dataset[end];
      this.dispatchEvent(new Event("more"));
      this.#showPolls();
      const further = found.querySelector("a.more");
      this.element.dataset.more = further ? "1" : "0";
      if (further) link.replaceWith(further);
      else link.remove();
      if (older.length) focus(older[0]);
    } catch {
      link.ariaBusy = "false"; // the reader may try again
    }
  }

  // How it is learned

  #address(parameters) {
    const address = new URL(this.#page);
    address.hash = "";
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address;
  }

  async #fetched(address) {
    const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response;
  }

  async #request() {
    const address = this.#address({ fragment: "1", refresh: this.#version });
    const response = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    const date = Date.parse(response.headers.get("Date") ?? "");
    if (Math.abs(date - Date.now()) > 2000) this.#ahead = date - Date.now();
    if (response.status === 204) return false;
    const found = await response.json();
    if (response.status === 404 && found.code === "not_found") this.#withdraw();
    if (!response.ok) throw new Error(`status ${response.status}`);
    this.#apply(found);
    return found.more;
  }

  #close() {
    this.#turn += 1;
    clearTimeout(this.#timer);
    clearTimeout(this.#alarm);
    this.#source?.close();
    this.#source = null;
  }

  #again(milliseconds) {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    this.#timer = setTimeout(() => this.#connect(), Math.min(milliseconds, LONGEST) * (0.5 + Math.random() / 2));
  }

  async #connect() {
    this.#close();
    const mine = this.#turn;
    try {
      while (await this.#request()) if (mine !== this.#turn) return;
      this.#failures = 0;
      this.#disconnected(false);
    } catch {
      this.#failures += 1;
      if (mine === this.#turn) this.#disconnected(true);
    }
    if (mine !== this.#turn) return;
    this.#rounds += 1;
    if (this.#failures) this.#again(FIRST * 2 ** this.#failures);
    else if (this.#rounds % 2 ** Math.min(Math.max(this.#refused - 1, 0), 4)) this.#again(POLL);
    else this.#listen();
  }

  #listen() {
    const address = new URL(STREAM, this.#page);
    address.search = new URL(this.#page).search;
    address.searchParams.set("liveblogId", this.element.dataset.name);
    address.searchParams.set("html", "1");
    address.searchParams.set("refresh", this.#version);
    const began = Date.now();
    const lost = () => {
      this.#close();
      this.#refused = Date.now() - began < STEADY ? this.#refused + 1 : 0;
      this.#again(this.#refused > 1 ? POLL : FIRST);
    };
    const heard = () => {
      clearTimeout(this.#alarm);
      this.#alarm = setTimeout(lost, SILENCE);
    };
    this.#source = new EventSource(address);
    this.#source.onopen = heard;
    this.#source.onerror = lost;
    this.#source.addEventListener("beat", heard);
    this.#source.addEventListener("update", (message) => {
      heard();
      if (!this.#apply(JSON.parse(message.data))) this.#connect();
    });
    this.#source.addEventListener("poll", (message) => {
      heard();
      this.#polls?.then((polls) => polls.receive(JSON.parse(message.data)));
    });
    heard();
  }
}
