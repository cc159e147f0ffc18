// When a post came about: whose time it was in one line, then each instant with the seconds since the one before.

import { send } from "./desk.js";

const INSTANTS = ["said", "unsaid", "answered", "believed", "committed", "delivered", "webhook"];

/** Fetches the times of the post whose details were opened, and shows them once; nothing where there are none. */
export async function showTimeline(details, page, say) {
  const section = details.querySelector("[data-timeline]");
  if (!section?.hidden) return;
  const path = `apigw/sports/v2/${encodeURIComponent(page.organization)}/liveblog/${encodeURIComponent(page.liveblog)}/external/timeline.json`;
  const response = await send(`${path}?eventId=${encodeURIComponent(section.dataset.timeline)}`).catch(() => null);
  if (!response?.ok) return;
  const [post] = (await response.json()).posts;
  if (!post || !section.hidden) return;
  for (const step of post.steps) section.append(...stepParts(step, say));
  section.hidden = false;
}

function stepParts(step, say) {
  const { total } = step.seconds, took = total === null || total < 0 ? "" : ` · ${total.toFixed(1)} s`;
  const verdict = made("p", say(`whose-${step.whose}`));
  verdict.className = "verdict";
  const list = document.createElement("dl");
  let before = null;
  for (const name of INSTANTS.filter((each) => step.at[each])) {
    const at = new Date(step.at[name]), since = before === null ? "" : `${at < before ? "−" : "+"}${(Math.abs(at - before) / 1000).toFixed(3)} s`;
    const value = made("dd", ""), time = made("time", step.at[name]);
    time.dateTime = step.at[name];
    value.append(time, since && ` (${since})`);
    list.append(made("dt", say(`at-${name}`)), value);
    before = at;
  }
  return [made("h4", `${say(`step-${step.what}`)}${took}`), verdict, list];
}

function made(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
