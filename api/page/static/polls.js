// Polls and quizzes of a liveblog: options to choose from, votes, and results that move while others vote.

import { knownToken, readerToken } from "./reader.js";

const POLLS = "../apigw/polls/v1/polls/"; // seen from the page
const KEPT = ["client_id", "delay"]; // parameters of the page that requests have too
const CHOSEN = "matchwire.vote."; // where this browser keeps what its reader has chosen
const PATIENCE = 10000; // milliseconds for a response
const SPREAD = 2000; // over which readers who want the same at the same moment come
const HIDDEN = 10000; // before results are read that only some may see: all of those read them

let counted = 0; // groups of options need names of their own

function kept(id) {
  try {
    return JSON.parse(localStorage.getItem(CHOSEN + id)) ?? [];
  } catch {
    return [];
  }
}

function keep(id, options) {
  try {
    if (options.length) localStorage.setItem(CHOSEN + id, JSON.stringify(options));
    else localStorage.removeItem(CHOSEN + id);
  } catch {
    // the reader's browser keeps nothing: the service still knows
  }
}

/** The polls that stand in an element; `page` is the address of the liveblog's page. */
export class Polls {
  #element;
  #page;
  #newest = new Map(); // poll → results, the newest that came
  #votes = new Map(); // poll → the reader's vote as the service knows it
  #timers = new Map();

  constructor(element, page) {
    this.#element = element;
    this.#page = page;
  }

  /** Makes what the server has rendered something to vote on; does nothing to what is that already. */
  show() {
    for (const poll of this.#element.querySelectorAll(".poll:not([data-ready])")) {
      poll.dataset.ready = "";
      const { poll: id, version } = poll.dataset;
      this.#build(poll);
      const newer = this.#newest.get(id);
      if (newer && newer.version >= Number(version)) this.#fill(poll, newer);
      else if (this.#chosen(id).length && (poll.dataset.results !== "always" || poll.dataset.quiz === "1")) this.#later(id);
      this.#close(poll);
      this.#mark(poll);
    }
  }

  /** Shows results that the stream has sent. */
  receive(results) {
    if (results.total_votes === null && this.#chosen(results.id).length) return this.#later(results.id, HIDDEN);
    const known = this.#newest.get(results.id);
    if (known && known.version >= results.version) return;
    this.#show(results);
  }

  #found(id) {
    return [...this.#element.querySelectorAll(".poll")].filter((poll) => poll.dataset.poll === id);
  }

  #chosen(id) {
    return this.#votes.get(id)?.options ?? kept(id);
  }

  #show(results) {
    if (results.vote) {
      this.#votes.set(results.id, results.vote);
      keep(results.id, results.vote.options);
    }
    this.#newest.set(results.id, results);
    for (const poll of this.#found(results.id)) this.#fill(poll, results);
  }

  // Inputs before the texts of the options, and buttons; without a script they would do nothing.
  #build(poll) {
    const { multiple, poll: id } = poll.dataset;
    const group = `poll-${(counted += 1)}`;
    const form = document.createElement("form");
    const fields = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.append(...poll.querySelector(".question").childNodes);
    legend.className = "question";
    fields.append(legend, poll.querySelector("ul"));
    for (const option of fields.querySelectorAll("[data-option]")) {
      const input = document.createElement("input");
      Object.assign(input, { type: multiple === "1" ? "checkbox" : "radio", name: group, value: option.dataset.option });
      const label = document.createElement("label");
      const choice = option.querySelector(".choice");
      choice.replaceWith(label);
      label.append(input, choice);
    }
    const send = Object.assign(document.createElement("button"), { type: "submit", className: "vote" });
    const back = Object.assign(document.createElement("button"), { type: "button", className: "withdraw" });
    send.textContent = poll.dataset.vote;
    back.textContent = poll.dataset.withdraw;
    form.append(fields, send, back);
    poll.querySelector(".said").tabIndex = -1;
    poll.querySelector(".question").remove();
    poll.prepend(form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = [...form.querySelectorAll("input:checked")].map((input) => input.value);
      if (chosen.length) this.#vote(poll, id, chosen);
    });
    back.addEventListener("click", () => this.#vote(poll, id, []));
  }

  // Results into their places; options that an editor has edited come with the post itself.
  #fill(poll, results) {
    const { dataset } = poll;
    const before = { ...dataset };
    Object.assign(dataset, { version: results.version, closed: results.closed ? "1" : "0", closes: results.closes_at ?? "" });
    for (const option of results.options) {
      const row = [...poll.querySelectorAll("[data-option]")].find((each) => each.dataset.option === option.id);
      if (!row) continue;
      const known = option.percent !== null;
      const meter = row.querySelector("meter");
      meter.hidden = !known;
      meter.value = option.percent ?? 0;
      row.querySelector(".share").textContent = known ? dataset.percent.replace("50", option.percent) : "";
    }
    const votes = results.total_votes;
    const total = votes === null ? "" : votes === 1 ? dataset.one : dataset.several.replace("2", votes);
    poll.querySelector(".total").textContent = [total, results.closed ? dataset.shut : ""].filter(Boolean).join(" · ");
    if (before.closes !== dataset.closes || before.closed !== dataset.closed) this.#close(poll);
    this.#mark(poll, Boolean(results.vote));
  }

  // What the reader has chosen, what was right, and which buttons there are; a choice that is being made is left alone,
  // but for results with the reader's own vote.
  #mark(poll, own = false) {
    const { dataset } = poll;
    const chosen = this.#chosen(dataset.poll);
    const vote = this.#votes.get(dataset.poll);
    const done = dataset.closed === "1" || (dataset.quiz === "1" && chosen.length > 0);
    const editing = !own && poll.getRootNode().activeElement?.name === poll.querySelector("input")?.name;
    for (const row of poll.querySelectorAll("[data-option]")) {
      const [input, id] = [row.querySelector("input"), row.dataset.option];
      if (!editing || done) input.checked = chosen.includes(id);
      input.disabled = done;
      row.classList.toggle("chosen", chosen.includes(id));
      row.classList.toggle("correct", vote?.correct?.includes(id) ?? false);
      row.querySelector(".note")?.remove();
      const notes = [chosen.includes(id) && dataset.chosen, vote?.correct?.includes(id) && dataset.correct].filter(Boolean);
      if (notes.length) {
        const note = Object.assign(document.createElement("small"), { className: "note", textContent: notes.join(" · ") });
        row.querySelector("label").append(" ", note);
      }
    }
    const [send, back] = [poll.querySelector(".vote"), poll.querySelector(".withdraw")];
    send.hidden = done;
    send.textContent = chosen.length ? dataset.change : dataset.vote;
    back.hidden = done || !chosen.length;
    if (dataset.quiz === "1" && vote?.explanation !== undefined) this.#explain(poll, vote);
  }

  #explain(poll, { right, explanation }) {
    const verdict = right === undefined ? "" : right ? poll.dataset.right : poll.dataset.wrong;
    const text = [verdict, explanation].filter(Boolean).join(" ");
    const said = poll.querySelector(".said");
    said.classList.add("shown");
    if (said.textContent !== text) said.textContent = text;
  }

  #say(poll, text) {
    poll.querySelector(".said").textContent = text;
  }

  #address(id, more = "") {
    const address = new URL(POLLS + encodeURIComponent(id) + more, this.#page);
    const parameters = new URL(this.#page).searchParams;
    for (const name of KEPT) if (parameters.has(name)) address.searchParams.set(name, parameters.get(name));
    return address;
  }

  async #read(id) {
    const token = knownToken(this.#element.dataset.organization);
    const headers = token ? { "Reader-Token": token } : {};
    const signal = AbortSignal.timeout(PATIENCE);
    return this.#results(await fetch(this.#address(id), { headers, signal, cache: "no-store" }));
  }

  async #send(id, options) {
    const { organization } = this.#element.dataset;
    const send = async (fresh) => {
      const token = await readerToken(this.#page, organization, fresh);
      const headers = { "Reader-Token": token, "Content-Type": "application/json" };
      const signal = AbortSignal.timeout(PATIENCE);
      return fetch(this.#address(id, "/votes"), { method: "POST", headers, body: JSON.stringify({ options }), signal });
    };
    const response = await send(false);
    return this.#results(response.status === 401 ? await send(true) : response); // a token ends one day
  }

  async #results(response) {
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.json();
  }

  async #vote(poll, id, options) {
    if (poll.ariaBusy === "true") return;
    poll.ariaBusy = "true";
    const focused = poll.getRootNode().activeElement;
    try {
      this.#show(await this.#send(id, options));
      if (focused.hidden || focused.disabled) (poll.querySelector("input:enabled") ?? poll.querySelector(".said")).focus();
      if (poll.dataset.quiz !== "1") this.#say(poll, options.length ? poll.dataset.counted : poll.dataset.removed);
    } catch {
      this.#say(poll, poll.dataset.failed);
      this.#later(id); // it may have been closed
    } finally {
      poll.ariaBusy = "false";
    }
  }

  // Reads the results anew as this reader may see them, a little later: others want the same now.
  #later(id, milliseconds = 0, spread = milliseconds || SPREAD) {
    if (this.#timers.has(id)) return;
    const read = async () => {
      this.#timers.delete(id);
      if (!this.#found(id).length) return;
      try {
        this.#show(await this.#read(id));
      } catch {
        // the next results, or the next visit
      }
    };
    this.#timers.set(id, setTimeout(read, milliseconds + Math.random() * spread));
  }

  // Nobody says that the time of a poll is over. Results that everybody sees are there already.
  #close(poll) {
    const { closes, closed, results, poll: id } = poll.dataset;
    if (!closes || closed === "1") return;
    const left = (Number(closes) + Number(this.#element.dataset.delay)) * 1000 - Date.now();
    const shut = () => {
      if (!poll.isConnected || poll.dataset.closes !== closes || poll.dataset.closed === "1") return;
      poll.dataset.closed = "1";
      const total = poll.querySelector(".total");
      total.textContent = [total.textContent, poll.dataset.shut].filter(Boolean).join(" · ");
      this.#mark(poll);
      if (results !== "always") this.#later(id, HIDDEN);
    };
    if (left < 2 ** 31) setTimeout(shut, Math.max(left, 0));
  }
}
