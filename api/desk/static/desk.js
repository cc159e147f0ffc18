// What every page of the desk does: times as the person's own clock writes them, and requests that carry the page's token.

const language = document.documentElement.lang;
const forms = {
  date: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  time: new Intl.DateTimeFormat(language, { timeStyle: "short" }),
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

/**
 * Sends a request to an operation of the API as whoever is signed in; the path is relative to the service's root, as
 * "api/v5/write/event/create.json". Gives the response; one without a session any more leads to the sign-in.
 */
export async function send(path, options = {}) {
  const token = document.querySelector('meta[name="csrf-token"]')?.content ?? "";
  const headers = new Headers(options.headers);
  if ((options.method ?? "GET") !== "GET") headers.set("X-CSRF-Token", token);
  const response = await fetch(new URL(path, root()), { ...options, headers, credentials: "same-origin" });
  if (response.status === 401) location.reload();
  return response;
}

/** The address of the service's root, below which the desk lies. */
export function root() {
  return new URL(import.meta.url.replace(/\/desk\/static\/.*$/, "/"));
}
