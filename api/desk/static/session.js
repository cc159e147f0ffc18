// A session that ends while a page is open: the page says so, stays as it is, and signs in in its place.

const EVERY = 5_000;
const ACCOUNT = import.meta.url.replace(/\/desk\/static\/.*$/, "/desk/account"); // a page of whoever is signed in; that of a form's answer cannot be read again
let running = null;

export const tokenOf = (page) => page.querySelector('meta[name="csrf-token"]')?.content ?? "";
export const accountOf = (page) => page.querySelector('meta[name="account"]')?.content ?? "";

/** Waits until somebody is signed in; the page says so where nobody is. Throws where the service does not answer. */
export async function signedIn() {
  const found = await fetchPage(ACCOUNT);
  if (tokenOf(found)) takeOver(found);
  else await (running ??= signIn(found).finally(() => (running = null)));
}

/** Whether there is another session than that of the token, once somebody is signed in. Throws where nobody answers. */
export async function isAnother(token) {
  await signedIn();
  return tokenOf(document) !== token;
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

/** The page goes on with the session that the other one was made in; for somebody else it is made anew. */
function takeOver(found) {
  if (accountOf(found) !== accountOf(document)) return location.reload();
  document.querySelector('meta[name="csrf-token"]').content = tokenOf(found);
  for (const each of document.querySelectorAll('input[name="csrf_token"]')) each.value = tokenOf(found);
  return undefined;
}

/** Shows the form of the page that was found, and each that follows it, until somebody is signed in, here or in another tab. */
function signIn(found) {
  const box = made("aside", { id: "signed-out" }), inside = made("details", {});
  const summary = made("summary", {}), card = made("div", {});
  let before = null;
  inside.append(summary, card);
  box.append(made("p", { role: "alert", textContent: document.body.dataset.signedOut }), inside);
  document.body.append(box);
  box.addEventListener("focusin", ({ relatedTarget: from }) => !box.contains(from) && (before = from));
  return new Promise((done) => {
    const timer = setInterval(() => readsCodes() || fetchPage(ACCOUNT).then(end).catch(() => null), EVERY);
    const readsCodes = () => card.querySelector(".secret") && !card.querySelector("form");

    function end(page) {
      if (!tokenOf(page) || !box.isConnected) return;
      clearInterval(timer);
      const held = box.contains(document.activeElement);
      box.remove();
      if (held) before?.focus();
      takeOver(page);
      done();
    }

    function show(page) {
      const shown = page.querySelector("main .card");
      if (!shown || tokenOf(page)) return end(page);
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
      fetchPage(ACCOUNT).then(end).catch(() => null);
    });
    show(found);
  });
}

function made(name, values) {
  return Object.assign(document.createElement(name), values);
}
