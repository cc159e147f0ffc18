// Score and state of play by hand, and handing them back.

import { handBack, modify } from "./liveblog-actions.js";

const TYPE = "Svc::Model::Modification::";
let waiting = "";
const SIDES = ["home_score", "away_score"];

/** The paths of fields that are a person's, as the buttons in the element name them. */
export function takenOf(element) {
  const buttons = [...element.querySelectorAll("button[data-fields]")];
  return [...new Set(buttons.flatMap((each) => each.dataset.fields.split("\n")))];
}

/** Score, scoreboard and state as they are stored. */
export function matchStands() {
  const stands = JSON.parse(document.querySelector("#match details")?.dataset.stands ?? "{}");
  const score = Object.fromEntries(SIDES.map((name) => [name, stands.scoreboard?.score?.[name] ?? ""]));
  return { ...score, scoreboard: stands.scoreboard, state_info: stands.state_info };
}

/** The modifications that make these parts stand. */
export function matchDocuments(parts) {
  const found = [];
  const score = SIDES.filter((name) => name in parts).map((name) => [name, parts[name] === "" ? null : Number(parts[name])]);
  if (score.length) found.push({ _type: `${TYPE}UpdateGameScoreInfoModification`, score_info: Object.fromEntries(score) });
  if (parts.scoreboard) found.push({ _type: `${TYPE}UpsertScoreboardModification`, scoreboard: parts.scoreboard });
  if (parts.state_info) found.push({ _type: `${TYPE}UpdateGameStateModification`, state_info: parts.state_info });
  return found;
}

function pick(document, names) {
  return Object.fromEntries(names.map((name) => [name, document[name]]));
}

/** What differs from what the form began with. */
function changesIn(form) {
  const changed = Object.fromEntries(SIDES.map((name) => form.elements[name]).filter((each) => each.value !== each.defaultValue).map((each) => [each.name, each.value]));
  const state = form.elements.state, first = state && [...state.options].find((each) => each.defaultSelected);
  if (state?.value && state.value !== first?.value) changed.state_info = JSON.parse(state.value);
  return changed;
}

/** Puts the section as it stands now; what somebody has typed in its form and not sent stays, and so does the focus. */
export function putMatch(html, page) {
  const match = document.getElementById("match"), before = document.getElementById("match-form"), held = document.activeElement;
  const typed = before && !before.dataset.sent && before.contains(held);
  waiting = typed ? html : "";
  if (typed) return; // a field that is typed in is not exchanged
  const open = match.querySelector("details")?.open ?? false, changed = before ? fieldsOf(before) : {};
  const focus = match.contains(held) ? held.id : "";
  match.innerHTML = html; // made and escaped by the service
  if (open) match.querySelector("details").open = true;
  const form = document.getElementById("match-form");
  for (const [name, value] of Object.entries(changed)) if (form?.elements[name]) form.elements[name].value = value;
  if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  listenToMatch(page);
}

/** The values of fields in which there is something else than what was sent or stood there at first. */
function fieldsOf(form) {
  const sent = JSON.parse(form.dataset.sent ?? "{}"), first = (each) => [...(each.options ?? [])].find((option) => option.defaultSelected)?.value ?? "";
  const stood = (each) => sent[each.name] ?? each.defaultValue ?? first(each);
  return Object.fromEntries([...form.elements].filter((each) => each.name && each.value !== stood(each)).map((each) => [each.name, each.value]));
}

/** Makes the form of score and state work; `page` knows the liveblog, the texts and what follows a write. */
export function listenToMatch(page) {
  const form = document.getElementById("match-form");
  const putWaiting = () => waiting && putMatch(waiting, page);
  form?.addEventListener("focusout", () => setTimeout(putWaiting));
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = changesIn(form), names = Object.keys(wanted);
    if (names.length === 0) return;
    const sent = fieldsOf(form), before = pick(matchStands(), names), taken = takenOf(document.getElementById("match"));
    try {
      await modify(page.liveblog, matchDocuments(wanted), page.version());
      form.dataset.sent = JSON.stringify(sent);
      await page.done("saved", "", null);
      putWaiting();
      page.undo.add({ kind: "match", before, after: pick(matchStands(), names), taken });
    } catch (error) {
      page.refuse(error);
      await page.refresh();
    }
  });
}

/** Gives score or state back to the provider. */
export async function handBackMatch(page, button) {
  const fields = button.dataset.fields.split("\n"), stands = matchStands(), before = {};
  for (const path of fields) {
    const name = path.split(".").at(-1);
    if (SIDES.includes(name) && path.startsWith("scoreboard.score.")) before[name] = stands[name];
    else if (path.startsWith("scoreboard")) before.scoreboard = stands.scoreboard;
    else before.state_info = stands.state_info;
  }
  try {
    await handBack(page.organization, page.liveblog, { fields });
    await page.done("did-hand-back", "", { kind: "matchHanded", before, fields });
  } catch (error) {
    page.refuse(error);
  }
}
