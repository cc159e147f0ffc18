// The composer: what stands in it as fields, what of that is sent, and what happens if somebody else was faster.

import { isTyping } from "./desk.js";
import { create, update } from "./liveblog-actions.js";
import { Blocks, kindOf } from "./liveblog-blocks.js";
import { matchStands } from "./liveblog-match.js";
import { merge, same } from "./liveblog-merge.js";
import { standing } from "./liveblog-undo.js";

const CONTENT = "Svc::Model::Content::";
const TRIES = 5;
const DRAFT = "60";
const PLACES = {
  text: "#text", blocks: "#blocks", headline: "#headline", highlight: "#highlight", publish_at: "#publish-at",
  event_type: "#event-type", minute: "#minute", team: "#team", players: ".people", score: "#score-after",
};
const NAMES = {
  text: "text", blocks: "beside-text", headline: "headline", highlight: "stands-out", publish_at: "publish-at",
  event_type: "event-type", minute: "minute", team: "team", players: "players", score: "score",
};
const RARE = ["headline", "highlight", "publish_at"];
const STOPPED = 30; // minutes of added time after which nobody has stopped the clock

/**
 * The one form of the page: of a new post, always open, and of one that is changed as long as that takes. `place` holds it as the
 * service has made it; `page` knows the liveblog, the texts, and what is to be done after a write.
 */
export class Editor {
  constructor(place, page) {
    Object.assign(this, { place, page, form: null, busy: false, opening: false, rest: place.innerHTML });
    document.execCommand("defaultParagraphSeparator", false, "p");
    setInterval(() => this.tick(), 1000);
  }

  get post() {
    return this.form?.dataset.post ?? "";
  }

  /** Whether there is a form at all: not for people who may only read. */
  get isOpen() {
    return this.form !== null;
  }

  /** Whether a post that is there is being changed. */
  get isEditing() {
    return this.post !== "";
  }

  /** Whether something is written that was not sent. */
  get isWriting() {
    return this.isOpen && this.isChanged();
  }

  /** Shows the form of a new post, with what was written in it and not sent. */
  begin() {
    if (!this.rest.trim()) return;
    const found = document.createElement("div");
    found.innerHTML = this.rest; // made and escaped by the service
    this.mount(found);
  }

  /** Leads to the text of the form. */
  write() {
    this.part("#text").focus();
  }

  /** Opens the form of a post; what is written of another one is not thrown away without a question, and a new post waits. */
  async open(post) {
    if (this.opening || (this.isEditing && !this.close())) return;
    this.keep();
    this.opening = true; // what is typed meanwhile is no key of the page
    const found = await this.page.fetchForm(post).finally(() => (this.opening = false));
    if (found === null) return;
    this.page.note(""); // what was said of something else does not stand beside the form
    this.mount(found);
    if (!isTyping()) this.part("h2").focus();
    this.page.opened();
  }

  mount(found) {
    this.place.replaceChildren(...found.children);
    this.form = this.place.querySelector("form");
    this.version = Number(this.form.dataset.version);
    this.key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    this.document = JSON.parse(this.form.dataset.base);
    this.blocks = new Blocks(this.part("#blocks"), this.page);
    this.blocks.show(besides(this.document.document));
    this.part("#publish-at").value = asLocal(this.document.publish_at);
    Object.assign(this, { suggested: "", counted: "", told: false, mark: this.page.mark() });
    this.base = this.read();
    this.tick();
    this.listen();
    this.showRoles();
    this.takeDraft();
  }

  /** The minute of a new post is that of the clock, until somebody writes another one. */
  tick() {
    const minute = this.form && this.part("#minute");
    if (!minute || this.isEditing || minute === document.activeElement || minute.value.trim() !== this.base.minute) return;
    minute.value = this.base.minute = minuteNow();
  }

  /** Ends the changing of a post, or empties the form of a new one; false where whoever writes wants to keep what is in it. */
  close({ sure = false } = {}) {
    if (!this.isOpen) return true;
    if (!sure && this.isChanged() && !confirm(this.page.say("unsaved"))) return false;
    const post = this.post;
    this.page.drafts.drop(post);
    this.begin();
    this.page.closed(post);
    return true;
  }

  isChanged(since = this.base) {
    const now = this.read();
    return Object.keys(now).some((name) => !same(now[name], since[name]));
  }

  /** Keeps what is written in this browser, until it is sent or thrown away. */
  keep() {
    if (!this.isOpen) return;
    if (this.told !== this.isChanged()) {
      this.told = !this.told;
      this.page.opened();
    }
    if (this.isChanged()) this.page.drafts.keep(this.post, { base: this.base, fields: this.read(), key: this.key });
    else this.page.drafts.drop(this.post);
  }

  /** What was written here before and not sent stands in the form again; what others have changed since is a question. */
  takeDraft() {
    const draft = this.page.drafts.of(this.post);
    if (!draft) return;
    this.key = draft.key;
    const { send, both } = merge(draft.base, draft.fields, this.base);
    for (const name of [...Object.keys(send), ...both]) this.put(name, draft.fields[name]);
    for (const name of both) this.choose(name, draft.fields[name], this.base[name]);
    if (RARE.some((name) => draft.fields[name]) && this.part("#more").hidden) this.toggleMore();
    this.page.note(this.page.say("unsent-here"));
  }

  /** The fields as they stand in the form. */
  read() {
    const value = (id) => this.part(id)?.value ?? "";
    const players = [...this.form.querySelectorAll("[data-role]")].filter((each) => !each.hidden).map((each) => {
      const chosen = each.querySelector("select");
      return chosen.value && { event_player_type: each.dataset.role, event_player_title: chosen.dataset.title, player: JSON.parse(chosen.value) };
    }).filter(Boolean);
    return {
      text: markup(this.part("#text")), blocks: this.blocks.read(), headline: value("#headline"), highlight: value("#highlight"),
      publish_at: value("#publish-at"), event_type: value("#event-type"), minute: value("#minute").trim(), team: value("#team"), players,
      score: value("#score-after").trim(),
    };
  }

  part(selector) {
    return this.form.querySelector(selector);
  }

  listen() {
    const form = this.form;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(event.submitter?.value ?? "");
    });
    form.addEventListener("click", (event) => this.clicked(event));
    form.addEventListener("input", () => this.keep());
    form.addEventListener("change", (event) => {
      if (event.target.id === "event-type") this.showRoles();
      else if (event.target.closest(".people")) this.suggest(event.target);
    });
    this.part("#file").addEventListener("change", (event) => {
      this.blocks.addFiles([...event.target.files]);
      event.target.value = "";
    });
    form.addEventListener("paste", (event) => this.paste(event));
  }

  /** Words go into the text without their looks; what has words is no picture, though a table from elsewhere brings one too. */
  paste(event) {
    const words = event.clipboardData.getData("text/plain"), files = [...event.clipboardData.files];
    if (words ? event.target.closest?.("#text") === null : files.length === 0) return;
    event.preventDefault();
    if (words) document.execCommand("insertText", false, words);
    else this.blocks.addFiles(files);
  }

  /** Takes dropped files. */
  async takeFiles(files) {
    if (this.isOpen) await this.blocks.addFiles(files);
  }

  clicked(event) {
    const button = event.target.closest("button");
    if (button?.dataset.add) this.blocks.addNew(button.dataset.add);
    if (button?.dataset.tool) this.format(button.dataset.tool);
    if (button?.dataset.kind) this.pick(button.dataset.kind);
    if (button && "rare" in button.dataset) this.toggleMore();
    if (button && "close" in button.dataset) this.close();
  }

  toggleMore() {
    const hidden = this.part("#more").toggleAttribute("hidden");
    this.part("[data-rare]").setAttribute("aria-expanded", !hidden);
  }

  /** Makes the post one of an event of this kind, or of none if it is one of it already; the event asks for what it needs. */
  async pick(kind) {
    const chosen = this.part("#event-type");
    chosen.value = chosen.value === kind ? "" : kind;
    this.showRoles();
    const asked = chosen.value && [...this.form.querySelectorAll(".people select, .people input")].find((each) => each.checkVisibility());
    (asked || this.part("#text")).focus();
    this.keep();
    if (chosen.value && this.mark !== this.page.mark()) await this.fetchPeople();
  }

  /** Line-ups may have come since the form was made. */
  async fetchPeople() {
    this.mark = this.page.mark();
    const found = await this.page.fetchForm(this.post), people = found?.querySelector(".people");
    if (!people || !this.isOpen || this.part(".people").contains(document.activeElement)) return;
    const now = this.read();
    this.part(".people").replaceWith(people);
    for (const name of ["team", "players", "score"]) this.put(name, now[name]);
  }

  /** Whether the chosen kind of event changes the score. */
  changesScore() {
    return this.part("#event-type")?.selectedOptions[0]?.dataset.scores !== undefined;
  }

  /** Whom the chosen option of a choice names. */
  named(selector) {
    const choice = this.part(selector);
    return choice?.value ? choice.selectedOptions[0].textContent : "";
  }

  /** Offers score and words of what changes the score, as long as nobody has written others. */
  suggest(changed) {
    const sentences = this.part("#event-type").selectedOptions[0]?.dataset.scores, score = this.part("#score-after"), text = this.part("#text");
    if (this.isEditing || sentences === undefined || changed === score) return;
    if (changed.id === "team" && score.value === this.counted) score.value = this.counted = this.scoreAfter();
    const known = { team: this.named("#team"), score: score.value };
    for (const each of this.form.querySelectorAll("[data-role]:not([hidden])")) known[each.dataset.role] = this.named(`#player-${each.dataset.role}`);
    const fits = (each) => [...each.matchAll(/\{([a-z-]+)\}/g)].every(([, name]) => known[name]);
    const words_ = sentences.split("\n").find(fits)?.replace(/\{([a-z-]+)\}/g, (_, name) => known[name]);
    if (words_ && (!markup(text) || text.textContent === this.suggested)) text.textContent = this.suggested = words_;
    this.keep();
  }

  /** The score after a goal of the chosen team, which of an own goal is that of who did it; empty where the score counts otherwise. */
  scoreAfter() {
    const kind = this.part("#event-type").value.split(".").pop(), side = this.part("#team").selectedOptions[0]?.dataset.side;
    const { home_score: home, away_score: away } = matchStands();
    if (!["goal", "own-goal"].includes(kind) || !side) return "";
    const forHome = (side === "home") === (kind === "goal");
    return `${Number(home || 0) + forHome}:${Number(away || 0) + !forHome}`;
  }

  format(tool) {
    this.part("#text").focus();
    if (tool === "createLink") {
      const address = prompt(this.page.say("link-address"), "https://");
      if (address && /^(https?:|mailto:|tel:)/i.test(address)) document.execCommand("createLink", false, address);
    } else if (tool === "h3" || tool === "blockquote") document.execCommand("formatBlock", false, tool);
    else document.execCommand(tool);
  }

  showRoles() {
    const chosen = this.part("#event-type");
    if (!chosen) return;
    const { roles = "", scores } = chosen.selectedOptions[0]?.dataset ?? {};
    for (const each of this.form.querySelectorAll("[data-of-incident]")) {
      const filled = each.dataset.role !== undefined || each.dataset.scores !== undefined ? each.querySelector("select, input").value : true;
      const asked = each.dataset.role !== undefined ? roles.split(" ").includes(each.dataset.role) : scores !== undefined;
      each.hidden = !chosen.value || !(asked || filled);
    }
    this.part(".people").hidden = !chosen.value;
    for (const each of this.form.querySelectorAll("[data-kind]")) each.setAttribute("aria-pressed", each.dataset.kind === chosen.value);
  }

  /** Sends what is written; `status`: of a new post. */
  async submit(status) {
    if (this.busy || !this.isOpen) return;
    if (this.blocks.uploads) {
      this.page.fail(this.page.say("uploads-run"));
      return;
    }
    const unnamed = this.blocks.unnamed();
    if (unnamed) {
      this.page.fail(this.page.say("alternative-needed"));
      unnamed.focus();
      return;
    }
    const unmarked = this.blocks.unmarked();
    if (unmarked) {
      this.page.fail(this.page.say("right-needed"));
      unmarked.focus();
      return;
    }
    const team = this.part("#team");
    if (team && !team.value && this.changesScore() && (this.base.team || this.base.event_type !== this.read().event_type)) {
      team.setAttribute("aria-invalid", "true");
      team.addEventListener("change", () => team.removeAttribute("aria-invalid"), { once: true });
      this.page.fail(this.page.say("team-needed"));
      team.focus();
      return;
    }
    const question = this.part(".both");
    if (question) {
      this.page.fail(question.querySelector("legend").textContent);
      question.scrollIntoView({ block: "nearest" });
      return;
    }
    this.busy = true;
    this.page.note(this.page.say("sending"));
    try {
      await (this.post ? this.save() : this.publish(status));
    } catch (error) {
      this.page.refuse(error);
    } finally {
      this.busy = false;
    }
  }

  async publish(status) {
    const now = this.read();
    const body = this.patch(now, { document: {} });
    body.local_status = Number(status);
    if (status === DRAFT) delete body.publish_at; // it waits for somebody, not for a time
    const made = await create(this.page.liveblog, body, this.key);
    await this.sent(made.local_id, now);
    const draft = status === DRAFT, time = scheduledFor(made);
    this.page.done(draft ? "did-draft" : time ? "did-schedule" : "posted", made.local_id, { kind: "created", post: made.local_id, draft }, { time });
  }

  /** Writes what I have changed; if somebody was faster, theirs is merged first, and what both changed is a question. */
  async save() {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const now = this.read();
      const changed = Object.keys(now).filter((name) => !same(now[name], this.base[name]));
      if (changed.length === 0) return this.finish(now, [], null);
      const before = this.patch(pick(this.base, changed), this.document);
      try {
        const post = this.post, body = this.patch(pick(now, changed), this.document);
        if (body.publish_at && this.document.status !== 0) [body.local_status, before.local_status] = [0, this.document.status];
        if (before.contents) before.media = this.document.document.media ?? []; // files go with their blocks
        const answer = await update(post, body, this.version);
        return this.finish(now, changed, { kind: "changed", post, body: before, after: standing(answer, body), taken: this.document.taken }, scheduledFor(answer));
      } catch (error) {
        if (error.status !== 409) throw error;
        if (!(await this.meetTheirs())) return undefined;
      }
    }
    return undefined;
  }

  async finish(now, changed, undo, time) {
    const post = this.post, imported = this.form.dataset.imported === "1";
    await this.sent(post, now);
    const fields = changed.map((name) => this.page.say(NAMES[name])).join(", ");
    const planned = time && changed.includes("publish_at");
    this.page.done(planned ? "did-schedule" : fields && imported ? "saved-fields" : "saved", post, undo, { fields, time });
  }

  /** Closes the form of what was sent; where somebody has written on meanwhile it stays, as the form of the post as it is now. */
  async sent(post, fields) {
    if (!this.isChanged(fields)) return void this.close({ sure: true });
    this.page.drafts.drop(this.post);
    this.form.dataset.post = post;
    this.base = fields;
    this.version = 0;
    await this.meetTheirs({ mine: true });
    this.page.opened();
    this.keep();
  }

  /**
   * Takes over what others have changed since the form was opened; false where something has to be chosen first. `mine`: what I
   * have written stands, whatever they have.
   */
  async meetTheirs({ mine: stands = false } = {}) {
    const found = await this.page.fetchForm(this.post);
    if (!this.isOpen) return false;
    if (found === null) {
      this.page.fail(this.page.say("post-gone"));
      return false;
    }
    const form = found.querySelector("form");
    if (Number(form.dataset.version) === this.version) return true;
    const document_ = JSON.parse(form.dataset.base);
    const theirs = this.fieldsOf(form, document_);
    const mine = this.read();
    const result = merge(this.base, mine, theirs);
    for (const name of Object.keys(result.theirs).filter((each) => this.holdsFocus(each))) {
      delete result.theirs[name]; // somebody is there and about to write
      result.both.push(name);
    }
    if (stands) result.both = [];
    this.version = Number(form.dataset.version);
    this.document = document_;
    for (const [name, value] of Object.entries(result.theirs)) this.put(name, value);
    this.base = { ...theirs, ...Object.fromEntries(Object.keys(theirs).filter((name) => result.theirs[name] !== undefined).map((name) => [name, this.read()[name]])) };
    if (!stands) this.sayMeanwhile(Object.keys(result.theirs));
    else this.becomeChange(form);
    for (const name of result.both) this.choose(name, mine[name], theirs[name]);
    return result.both.length === 0;
  }

  /** The form of a post that was new is that of one that is there. */
  becomeChange(form) {
    for (const part of ["h2", ".actions"]) this.part(part).replaceWith(form.querySelector(part));
    this.part("[data-new]")?.remove();
  }

  /** The fields of another form, as `read` gives those of this one. */
  fieldsOf(form, full) {
    const own = { form: this.form, blocks: this.blocks };
    Object.assign(this, { form, blocks: new Blocks(form.querySelector("#blocks"), this.page) });
    try {
      this.blocks.show(besides(full.document));
      this.part("#publish-at").value = asLocal(full.publish_at);
      this.showRoles();
      return this.read();
    } finally {
      Object.assign(this, own);
    }
  }

  put(name, value) {
    if (name === "text") this.part("#text").innerHTML = value; // of a form that the service has made: sanitised there
    else if (name === "blocks") this.blocks.show(value);
    else if (name === "players") this.putPlayers(value);
    else if (this.part(PLACES[name])) this.part(PLACES[name]).value = value;
    this.showRoles();
  }

  putPlayers(players) {
    for (const each of this.form.querySelectorAll("[data-role]")) {
      const found = players.find((player) => player.event_player_type === each.dataset.role);
      const select = each.querySelector("select");
      select.value = found ? JSON.stringify(found.player) : "";
      const option = [...select.options].find((option_) => found && option_.value && same(JSON.parse(option_.value), found.player));
      if (option) option.selected = true;
    }
  }

  sayMeanwhile(names) {
    if (names.length === 0) return;
    const words = document.createElement("p");
    words.className = "notice";
    words.textContent = this.page.say("meanwhile").replace("{fields}", names.map((name) => this.page.say(NAMES[name])).join(", "));
    this.part("#meanwhile").replaceChildren(words);
  }

  holdsFocus(name) {
    return this.part(PLACES[name])?.contains(document.activeElement) ?? false;
  }

  /** Puts the question which of two values shall stand beside its field; whoever writes goes there when it suits. */
  choose(name, mine, theirs) {
    const group = document.createElement("fieldset");
    group.className = "both";
    group.dataset.field = name;
    group.tabIndex = -1;
    const before = this.part(`.both[data-field="${name}"]`), field = this.part(PLACES[name]);
    const legend = document.createElement("legend");
    legend.textContent = `${this.page.say(NAMES[name])}: ${this.page.say("both")}`;
    group.append(legend);
    for (const [label, value] of [["mine-stands", mine], ["theirs-stands", theirs]]) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: `${this.page.say(label)}: ${words(value)}` });
      button.addEventListener("click", () => {
        if (value === theirs) this.put(name, theirs); // mine stands in the field, with all that was written since
        group.remove();
        (field.matches("[id]:not(#blocks)") ? field : field.querySelector("input, select, textarea"))?.focus();
        this.keep();
      });
      group.append(button);
    }
    field.after(group);
    if (before?.contains(document.activeElement)) group.focus();
    before?.remove();
    this.page.fail(legend.textContent);
  }

  /** The document of these fields, over the post as it is. */
  patch(fields, full) {
    const body = {};
    for (const name of ["headline", "highlight"]) if (name in fields) body[name] = fields[name];
    if ("publish_at" in fields) body.publish_at = fields.publish_at ? Math.floor(new Date(fields.publish_at).getTime() / 1000) : null;
    if ("text" in fields || "blocks" in fields) body.contents = contents(fields, full.document.contents ?? []);
    const incident = this.incident(fields, full.document.sport_event);
    if (incident !== undefined) body.sport_event = incident;
    if (this.post === "" ) for (const name of ["headline", "highlight"]) if (!body[name]) delete body[name];
    if (this.post === "" && body.publish_at === null) delete body.publish_at;
    return body;
  }

  incident(fields, before) {
    const names = ["event_type", "minute", "team", "players", "score"].filter((name) => name in fields);
    if (names.length === 0) return undefined;
    const chosen = this.part("#event-type");
    if (!chosen) return undefined;
    if ("event_type" in fields && !fields.event_type && !(fields.minute && !before)) return before ? null : undefined;
    const body = {};
    if (!fields.event_type && !before) body.sportstype = chosen.dataset.sport;
    if (fields.event_type) {
      const option = [...chosen.options].find((each) => each.value === fields.event_type);
      Object.assign(body, { sportstype: chosen.dataset.sport, event_type: fields.event_type, title: option?.textContent ?? "" });
    }
    if ("minute" in fields) body.time_of_play = fields.minute;
    if ("team" in fields && (fields.team || before)) body.team = fields.team ? JSON.parse(fields.team) : null;
    if ("players" in fields && (fields.players.length || before)) body.players = fields.players;
    if ("score" in fields && (fields.score || before)) body.score = scoreOf(fields.score);
    return body;
  }
}

/** The minute that the clock of the match shows; empty while it shows none. */
function minuteNow() {
  const { reading = "", started, base, length } = document.querySelector("#match details")?.dataset ?? {};
  if (!started) return reading.replace(/'$/, "");
  const gone = Math.floor(Math.max(0, Date.now() / 1000 - started) / 60), added = Number(length) ? gone - length + 1 : 0;
  if (added > STOPPED) return "";
  return added > 0 ? `${Number(base) + Number(length)}+${added}` : String(Number(base) + gone + 1);
}

/** `2:1` as a document has it; null for none. */
function scoreOf(written) {
  const [home, away] = written.split(/ *[:\-–] */);
  return written ? { home_score: home, away_score: away } : null;
}

/** The blocks of a post without the text that has a field of its own. */
function besides(post) {
  const blocks = post.contents ?? [];
  const first = blocks.findIndex((each) => kindOf(each) === "RichTextContentBlock");
  return blocks.filter((_, index) => index !== first);
}

/** All blocks in their order, with the fields that are given; text first where there was none. */
function contents(fields, before) {
  const first = before.findIndex((each) => kindOf(each) === "RichTextContentBlock");
  const others = "blocks" in fields ? [...fields.blocks] : before.filter((_, index) => index !== first);
  const stood = before[first];
  const text = "text" in fields ? { _type: `${CONTENT}RichTextContentBlock`, ...(stood?.local_id ? { local_id: stood.local_id } : {}), text: fields.text } : stood;
  if (!text || (!text.text && !stood)) return others;
  if (!text.text) return others;
  others.splice(first < 0 ? 0 : Math.min(first, others.length), 0, text);
  return others;
}

function markup(box) {
  return box.textContent.trim() ? box.innerHTML.trim() : "";
}

function words(value) {
  if (typeof value !== "string") return JSON.stringify(value).slice(0, 120);
  const parsed = new DOMParser().parseFromString(value, "text/html");
  return parsed.body.textContent.slice(0, 120) || "–";
}

function pick(fields, names) {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** The time at which a post will be published, as the person writes it; empty for one that does not wait, and for no calendar's time. */
function scheduledFor({ publish_at: at }) {
  return isTime(at) ? new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at * 1000)) : "";
}

/** Whether there is a time, and one that calendars have. */
function isTime(seconds) {
  return Boolean(seconds) && !Number.isNaN(new Date(seconds * 1000).getTime());
}

/** Unix seconds as the field for date and time writes them, in the time of this browser. */
function asLocal(seconds) {
  if (!isTime(seconds)) return "";
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}
