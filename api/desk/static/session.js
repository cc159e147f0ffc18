// A session that ends while a page is open: the page says so, stays as it is, and signs in in its place.

const EVERY = 5_000;
const DESK = import.meta.url.replace(/\/desk\/static\/.*$/, "/desk");
let running = null;

export const accountOf = (page) => page.querySelector('meta[name="account"]')?.content ?? "";

/**
 * Waits until somebody is signed in; the page says so where nobody is. Gives whether it is whom the page was made for, which
 * is made anew for somebody else. Throws where the service does not answer.
 */
export async function signedIn() {
  const { account } = (await fetchSession()) ?? (await (running ??= signIn().finally(() => (running = null))));
  if (account === accountOf(document)) return true;
  location.reload();
  return false;
}

/** The session that this browser has now, null for none. Throws where the service does not answer. */
async function fetchSession() {
  const response = await fetch(`${DESK}/session`, { credentials: "same-origin" });
  return response.status === 401 ? null : response.json();
}

/** A page as this browser gets it now, with addresses that hold on any other page. */
async function fetchPage(address, options = {}) {
  const response = await fetch(address, { ...options, headers: { Accept: "text/html" }, credentials: "same-origin" });
  const found = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const each of found.querySelectorAll("form[action], a[href]")) {
    const name = each.localName === "form" ? "action" : "href";
    each.setAttribute(name, new URL(each.getAttribute(name), response.url));
  }
  return found;
}

/** Shows the form of the sign-in, and each that follows it, until somebody is signed in, here or in another tab: the session. */
async function signIn() {
  const first = await fetchPage(`${DESK}/sign-in`);
  const box = made("aside", { id: "signed-out" }), inside = made("details", {});
  const summary = made("summary", {}), card = made("div", {});
  let before = null;
  inside.append(summary, card);
  box.append(made("p", { role: "alert", textContent: document.body.dataset.signedOut }), inside);
  document.body.append(box);
  box.addEventListener("focusin", ({ relatedTarget: from }) => !box.contains(from) && (before = from));
  return new Promise((done) => {
    const look = () => fetchSession().then(end).catch(() => null);
    const timer = setInterval(() => readsCodes() || look(), EVERY);
    const readsCodes = () => card.querySelector(".secret") && !card.querySelector("form");

    function end(session) {
      if (!session || !box.isConnected) return;
      clearInterval(timer);
      const held = box.contains(document.activeElement);
      box.remove();
      if (held) before?.focus();
      done(session);
    }

    function show(page) {
      const shown = page.querySelector("main .card");
      if (!shown || accountOf(page)) return look();
      summary.textContent = page.querySelector("h1").textContent;
      card.replaceChildren(...shown.childNodes);
      for (const each of card.querySelectorAll("a")) each.target = "_blank";
      return undefined;
    }

    box.addEventListener("submit", (event) => {
      event.preventDefault();
      const body = new URLSearchParams(new FormData(event.target, event.submitter));
      fetchPage(event.target.action, { method: "POST", body })
        .then(show)
        .then(() => card.querySelector("input:not([type=hidden]), a")?.focus())
        .catch(() => null);
    });
    card.addEventListener("click", (event) => {
      if (!event.target.closest("a") || !readsCodes()) return;
      event.preventDefault();
      card.replaceChildren();
      look();
    });
    show(first);
  });
}

function made(name, values) {
  return Object.assign(document.createElement(name), values);
}
