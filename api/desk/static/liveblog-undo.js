// Taking back what was done last on this page, whatever it was; what others have done since is never overwritten.

import { create, handBack, modify, update } from "./liveblog-actions.js";
import { matchDocuments, matchStands, takenOf } from "./liveblog-match.js";
import { same } from "./liveblog-merge.js";

const MOST = 20;
const DRAFT = 60;
const CHANGED = new Error("changed since");
const PARTS = ["headline", "highlight", "tag_ids", "state_info", "created_at"];

/**
 * The last things that were done, the newest at the end; `page` knows the liveblog, the texts and what follows a write.
 * They are kept as long as the tab is open, so that another filter or page of posts loses none of them.
 */
export class Undo {
  constructor(page, button) {
    Object.assign(this, { page, button, running: Promise.resolve(), key: `desk-undo ${page.person} ${page.liveblog}` });
    this.entries = JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    this.show();
  }

  add(entry) {
    this.entries.push(entry);
    this.entries.splice(0, this.entries.length - MOST);
    this.show();
  }

  /** The button says what it does: a deleted post does not come back, its words can be posted again. */
  show() {
    if (!this.button) return;
    try {
      sessionStorage.setItem(this.key, JSON.stringify(this.entries));
    } catch {
      sessionStorage.removeItem(this.key); // there is no room: this page alone knows them
    }
    this.button.disabled = this.entries.length === 0;
    this.button.textContent = this.page.say(this.entries.at(-1)?.kind === "deleted" ? "write-again" : "undo");
  }

  /** Takes back the last thing; pressed again meanwhile, the one before it afterwards. */
  takeBack() {
    this.running = this.running.then(() => this.takeBackLast());
    return this.running;
  }

  async takeBackLast() {
    const last = this.entries.pop();
    if (!last) return void this.page.note(this.page.say("nothing-to-undo"));
    try {
      await this[last.kind](last);
    } catch (error) {
      if (error.status === 0) this.entries.push(last); // nobody has answered: it can be tried again
      if (error === CHANGED || error.status === 409) this.page.fail(this.page.say("changed-since"));
      else if (error.status === 404) this.page.fail(this.page.say("gone-since"));
      else this.page.refuse(error);
    } finally {
      this.show();
    }
  }

  /** A change of a post: what stood before stands again, and a field that was the provider's is the provider's. */
  async changed({ post, body, after, taken }) {
    const now = await this.page.fetchBase(post);
    if (!same(standing(now, after), after)) throw CHANGED;
    await update(post, body, now.version);
    const mine = (now.taken ?? []).filter((path) => !taken.includes(path));
    const left = mine.length ? (await this.page.fetchBase(post)).taken.filter((path) => mine.includes(path)) : [];
    if (left.length) await handBack(this.page.organization, this.page.liveblog, { events: [post], fields: left });
    await this.page.done("did-undo", post, null);
  }

  /** A new post: it is a draft; a new draft is deleted, and its words can be posted again. */
  async created({ post, draft }) {
    const now = await this.page.fetchBase(post);
    if (draft) return this.page.removePost(post, now.version);
    if (now.local_status === DRAFT) throw CHANGED;
    await update(post, { local_status: DRAFT, publish_at: null }, now.version);
    return this.page.done("did-undo-post", post, null);
  }

  /** A deleted post: a new one says the same at the same time. */
  async deleted({ body, key }) {
    const made = await create(this.page.liveblog, body, key);
    await this.page.done("did-write-again", made.local_id, { kind: "created", post: made.local_id, draft: body.local_status === DRAFT });
  }

  /** Fields of a post that were handed back: they are the person's again, with the person's words. */
  async handed({ post, fields, body }) {
    const now = await this.page.fetchBase(post);
    if (fields.some((path) => now.taken.includes(path))) throw CHANGED;
    await update(post, body, now.version);
    await this.page.done("did-undo", post, null);
  }

  /** Score or state by hand. */
  async match({ before, after, taken }) {
    await this.page.refresh();
    if (!same(standing(matchStands(), after), after)) throw CHANGED;
    await modify(this.page.liveblog, matchDocuments(before));
    await this.page.refresh();
    const left = takenOf(document.getElementById("match")).filter((path) => !taken.includes(path));
    if (left.length) await handBack(this.page.organization, this.page.liveblog, { fields: left });
    await this.page.done("did-undo", "", null);
  }

  /** Score or state that was handed back. */
  async matchHanded({ before, fields }) {
    await this.page.refresh();
    const taken = takenOf(document.getElementById("match"));
    if (fields.some((path) => taken.includes(path))) throw CHANGED;
    await modify(this.page.liveblog, matchDocuments(before));
    await this.page.done("did-undo", "", null);
  }
}

/** What a document says where another one says something. */
export function standing(document, like) {
  const inside = (name) => name === "sport_event" && like[name] && document[name];
  return Object.fromEntries(Object.keys(like).map((name) => [name, inside(name) ? standing(document[name], like[name]) : document[name]]));
}

/** What brings fields of a post back to what they are now; `base`: the post as its form has it. */
export function restoring(base, fields) {
  const body = {};
  for (const path of fields) {
    const [name, part] = path.split(".");
    if (name === "sport_event" && part && base.sport_event) body.sport_event = { ...body.sport_event, [part]: base.sport_event[part] ?? null };
    else body[name] = base[name] ?? null;
  }
  if (body.contents) body.media = base.media ?? [];
  return body;
}

/** A new post with the words, pictures and time of this one; ids of its parts stay with the old one. */
export function wordsOf(base) {
  const files = new Map((base.media ?? []).map((each) => [each.local_id, each]));
  const body = { local_status: base.local_status };
  for (const name of PARTS) if (base[name] && base[name].length !== 0) body[name] = base[name];
  if (base.publish_at) body.publish_at = base.publish_at;
  if (base.sport_event) body.sport_event = unnamed(base.sport_event);
  body.contents = (base.contents ?? []).map((block) => {
    const copy = unnamed(block);
    if (copy.items) copy.items = copy.items.map((item) => shown(item, files.get(item.media_local_id)));
    return copy;
  });
  return body;
}

function unnamed({ local_id: _, ...others }) {
  return others;
}

function shown({ media_local_id: _, ...item }, file) {
  return { ...item, source_url: item.source_url ?? file?.url };
}

