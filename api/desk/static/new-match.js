// The matches of a day: found while one types, whole competitions ticked at once, and the button says how many liveblogs it creates.

import { isTyped } from "./desk.js";

const find = document.querySelector(".filter #q"), day = document.querySelector(".filter #day");
const choose = document.getElementById("choose"), create = document.getElementById("create");
const ticks = () => [...choose.querySelectorAll(".fix input")];

/** Without accents and capitals, as the search of the service has it. */
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function filter() {
  const words = plain(find.value).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  for (const section of document.querySelectorAll(".fixtures > section")) {
    const named = plain(section.querySelector("h2").textContent);
    for (const row of section.querySelectorAll("li")) {
      const text = ` ${named} ${plain(row.querySelector(".names").textContent)}`.replace(/[^\p{L}\p{N}]+/gu, " ");
      row.hidden = !words.every((word) => text.includes(` ${word}`));
    }
    section.hidden = !section.querySelector("li:not([hidden])");
  }
}

function count() {
  const ticked = ticks().filter((each) => each.checked).length;
  create.textContent = ticked === 1 ? create.dataset.one : create.dataset.many.replace("{count}", ticked);
  create.disabled = !ticked;
  for (const every of choose.querySelectorAll(".every input")) {
    const own = [...every.closest("section").querySelectorAll("li:not([hidden]) .fix input")];
    every.checked = own.length > 0 && own.every((each) => each.checked);
  }
}

if (find) {
  find.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyped(event)) return;
    event.preventDefault();
    find.focus();
  });
  day.addEventListener("change", () => day.value && day.form.requestSubmit());
  day.form.elements.provider?.addEventListener("change", () => day.form.requestSubmit());
}

if (choose) {
  for (const every of choose.querySelectorAll(".every")) every.hidden = false;
  choose.addEventListener("change", ({ target }) => {
    if (target.closest(".every")) {
      for (const each of target.closest("section").querySelectorAll("li:not([hidden]) .fix input")) each.checked = target.checked;
    }
    count();
  });
  let sent = false;
  choose.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (sent && choose.dataset.sure) event.preventDefault();
    sent = Boolean(choose.dataset.sure);
  });
  addEventListener("pageshow", () => {
    sent = false;
    count();
  });
  count();
}
