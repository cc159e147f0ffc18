// What a post shows beside its text: pictures, embeds, quotes, polls. Each block is a group of fields that says its document.

import { isTyping } from "./desk.js";
import { upload } from "./liveblog-actions.js";

const CONTENT = "Svc::Model::Content::";
const REFUSED = { 413: "too-many-dots", 415: "no-picture" };
const WORDS = { 0: "upload-offline", ...REFUSED };
let counted = 0;

/** The last part of a block's type. */
export const kindOf = (block) => (block._type ?? "").split("::").pop();

/** The blocks of the form: shown in `place`, whose attributes hold the names of fields; `page` knows other texts and the limits. */
export class Blocks {
  constructor(place, page) {
    Object.assign(this, { place, page, uploads: 0 });
  }

  /** Shows these blocks instead of those that are there. */
  show(blocks) {
    this.place.replaceChildren();
    for (const block of blocks) this.add(block);
  }

  /** The documents of all blocks, in their order. */
  read() {
    return [...this.place.children].map((each) => each.document()).filter(Boolean);
  }

  /** Adds an empty block of a kind and leads to its first field. */
  addNew(kind) {
    const empty = {
      embed: { _type: `${CONTENT}WebEmbedContentBlock`, url: "" },
      quote: { _type: `${CONTENT}QuoteContentBlock`, text: "", author: "", source: "" },
      poll: { _type: `${CONTENT}PollContentBlock`, question: "", options: [{ text: "" }, { text: "" }] },
      quiz: { _type: `${CONTENT}QuizContentBlock`, question: "", options: [{ text: "" }, { text: "" }] },
    }[kind];
    this.add(empty).querySelector("input, textarea")?.focus();
  }

  /** Uploads files one after the other and shows each; what is wrong with one is said, and stays until somebody has read it. */
  async addFiles(files) {
    this.uploads += files.length;
    for (const file of files) await this.addFile(file).finally(() => (this.uploads -= 1));
  }

  async addFile(file) {
    const refused = this.reasonAgainst(file);
    if (refused) return this.fail(file, refused);
    const waiting = note(this.say("uploading", file));
    this.place.after(waiting);
    try {
      const media = await upload(this.page.organization, file);
      const type = media.subtype === "v" ? "VideoMediaContent" : "ImageMediaContent";
      const item = { _type: CONTENT + type, source_url: media.url, title: "", credit: "" };
      const group = this.add({ _type: `${CONTENT}MultiMediaContentBlock`, items: [item] }, file.name);
      if (!isTyping()) group.querySelector("input").focus();
    } catch (error) {
      this.fail(file, WORDS[error.status] ?? "upload-failed", error);
    } finally {
      waiting.remove();
    }
    return undefined;
  }

  /** What keeps the file from being sent at all. */
  reasonAgainst({ type, size }) {
    const picture = type.startsWith("image/"), video = type.startsWith("video/");
    if (type && !picture && !video) return "no-picture";
    return size > (picture ? this.page.pictureBytes : this.page.videoBytes) ? "too-large" : "";
  }

  fail(file, name, error) {
    const group = document.createElement("div");
    group.className = "alert failed-file";
    group.setAttribute("role", "alert");
    const words = document.createElement("p");
    words.textContent = this.say(name, file, error?.message);
    group.append(words);
    const away = () => group.remove();
    if (error && !(error.status in REFUSED)) group.append(button(this.say("try-again", file), () => (away(), this.addFiles([file]))));
    group.append(button(this.say("remove", file), away));
    this.place.after(group);
  }

  say(name, file, reason) {
    const megabytes = (bytes) => Math.floor(bytes / 1048576);
    const values = { name: file?.name ?? "", reason: reason ?? "", pictures: megabytes(this.page.pictureBytes), videos: megabytes(this.page.videoBytes) };
    return Object.entries(values).reduce((words, [each, value]) => words.replace(`{${each}}`, () => value), this.page.say(name));
  }

  /** The first picture that nobody has said anything of; undefined where there is none. */
  unnamed() {
    return [...this.place.querySelectorAll("input[data-alternative]")].find((each) => !each.value.trim());
  }

  /** The first answer of a quiz of which nobody has said which answer is right; undefined where there is none. */
  unmarked() {
    const quizzes = [...this.place.children].filter((each) => kindOf(each.document() || {}) === "QuizContentBlock");
    return quizzes.find((each) => !each.querySelector("input[type=radio]:checked"))?.querySelector("input[type=radio]");
  }

  add(block, called = "") {
    const group = document.createElement("fieldset");
    group.className = "block";
    const legend = document.createElement("legend");
    const kind = kindOf(block), own = LEGENDS[kind];
    legend.textContent = [own ? this.label(own) : kind.replace("ContentBlock", ""), called].filter(Boolean).join(": ");
    group.append(legend);
    const fields = FIELDS[kind];
    group.document = fields ? fields(this, group, structuredClone(block)) : () => block;
    const away = button(this.say("remove"), () => group.remove());
    away.setAttribute("aria-label", `${this.say("remove")}: ${legend.textContent}`);
    group.append(away);
    this.place.append(group);
    return group;
  }

  label(name) {
    return this.place.dataset[name];
  }
}

const LEGENDS = {
  WebEmbedContentBlock: "embed", QuoteContentBlock: "quote", MultiMediaContentBlock: "pictures", PollContentBlock: "poll", QuizContentBlock: "quiz",
};
const FIELDS = { WebEmbedContentBlock: embed, QuoteContentBlock: quote, MultiMediaContentBlock: pictures, PollContentBlock: poll, QuizContentBlock: poll };

function embed(blocks, group, block) {
  const address = field(group, blocks.label("address"), block.url, { type: "text", inputMode: "url" });
  return () => address.value.trim() && { ...block, url: address.value.trim() };
}

function quote(blocks, group, block) {
  const text = field(group, blocks.label("quoted"), block.text, { tag: "textarea" });
  const author = field(group, blocks.label("author"), block.author);
  const source = field(group, blocks.label("source"), block.source);
  return () => text.value.trim() && { ...block, text: text.value, author: author.value, source: source.value };
}

function pictures(blocks, group, block) {
  const read = (block.items ?? []).map((item) => {
    const title = field(group, blocks.label("alternative"), item.title);
    if (kindOf(item) === "ImageMediaContent") title.dataset.alternative = "";
    const credit = field(group, blocks.label("credit"), item.credit);
    return () => ({ ...item, title: title.value, credit: credit.value });
  });
  return () => ({ ...block, items: read.map((each) => each()) });
}

function poll(blocks, group, block) {
  const question = field(group, blocks.label("question"), block.question);
  const quiz = kindOf(block) === "QuizContentBlock";
  const list = document.createElement("div");
  group.append(list);
  const name = `right-${(counted += 1)}`;
  const rows = [];
  const add = (option) => {
    const input = field(list, blocks.page.say("option").replace("{number}", rows.length + 1), option.text);
    const right = document.createElement("input");
    if (quiz) {
      Object.assign(right, { type: "radio", name, checked: option.correct === true || (option.id && option.id === block.correct_option_id) });
      const label = document.createElement("label");
      label.className = "switch";
      label.append(right, ` ${blocks.label("right")}`);
      list.append(label);
    }
    rows.push(() => input.value.trim() && { ...option, text: input.value.trim(), ...(quiz ? { correct: right.checked } : {}) });
  };
  (block.options ?? []).forEach(add);
  group.append(button(blocks.label("more"), () => add({ text: "" })));
  const after = quiz ? field(group, blocks.label("explanation"), block.explanation) : null;
  return () => question.value.trim() && {
    ...block, question: question.value, options: rows.map((each) => each()).filter(Boolean),
    ...(quiz ? { explanation: after.value, correct_option_id: undefined } : {}),
  };
}

function field(group, name, value, { tag = "input", ...more } = {}) {
  const id = `field-${(counted += 1)}`;
  const label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = name;
  const input = document.createElement(tag);
  Object.assign(input, { id, value: value ?? "", dir: "auto", ...more });
  group.append(label, input);
  return input;
}

function button(name, act) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: name });
  made.addEventListener("click", act);
  return made;
}

function note(words) {
  const made = document.createElement("p");
  made.setAttribute("role", "status");
  made.textContent = words;
  return made;
}
