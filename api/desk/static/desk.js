// What every page of the desk does: times as the person's own clock writes them, and requests that say for whom the page was made.

import { dropAll } from "./drafts.js";
import { accountOf, signedIn } from "./session.js";

/** What keys are typed into; there they are no commands of the page. */
const FIELDS = "form, input, select, textarea, [contenteditable]";
const language = document.documentElement.lang;
const forms = {
  date: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }),
  time: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  day: new Intl.DateTimeFormat(language, { month: "short", day: "numeric" }),
};

/** Writes the times in the element as the person's own clock has them. */
export function showTimes(element) {
  for (const each of element.querySelectorAll("time[data-form]")) {
    each.textContent = forms[each.dataset.form].format(new Date(each.dateTime));
    const zone = each.nextElementSibling;
    if (zone?.classList.contains("zone")) zone.remove();
  }
}
showTimes(document);

const TRIES = 5;

/**
 * Sends a request to an operation of the API as whoever is signed in; the path is relative to the service's root, as
 * "api/v5/write/event/create.json". Gives the response. Where the session has ended it waits until somebody has signed in
 * again, and sends it once more.
 */
export async function send(path, options = {}) {
  for (let left = TRIES; ; left -= 1) {
    const account = accountOf(document), headers = new Headers(options.headers);
    if ((options.method ?? "GET") !== "GET") headers.set("X-Account", account);
    if (options.body instanceof URLSearchParams) options.body.set("account", account);
    const response = await fetch(new URL(path, root()), { ...options, headers, credentials: "same-origin" });
    if (![401, 403].includes(response.status) || !(await signedIn()) || response.status === 403 || !left) return response;
  }
}

/** Whether somebody types at this moment: then nothing takes the focus away. */
export const isTyping = () => Boolean(document.activeElement?.closest?.(FIELDS));

/** Whether the key is typed into something, and so no command of the page. */
export const isTyped = (event) => event.isComposing || Boolean(event.target.closest?.(FIELDS));

/** The address of the service's root, below which the desk lies. */
export function root() {
  return new URL(import.meta.url.replace(/\/desk\/static\/.*$/, "/"));
}

// Forms: what is written in one is not sent into the page of a sign-in

document.addEventListener("submit", async (event) => {
  const form = event.target, { submitter } = event;
  if (event.defaultPrevented || !form.elements.account || form.dataset.sure) return;
  if (form.matches('[action$="/sign-out"], [action$="/end-everywhere"]')) return void sessionStorage.setItem(LEAVING, accountOf(document));
  event.preventDefault();
  if ((await signedIn().catch(() => null)) === false) return; // without an answer the browser itself says what is wrong
  form.dataset.sure = "1";
  form.requestSubmit(submitter);
});

// Whoever signs out here leaves no words behind in this browser; a session that ends elsewhere takes none away

const LEAVING = "desk-leaving", left = sessionStorage.getItem(LEAVING);
sessionStorage.removeItem(LEAVING);
if (left && !accountOf(document)) dropAll(left);
