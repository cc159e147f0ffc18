// Keeps the page of the status up to date: what changed takes the place of what was there, and nobody is moved.

const EVERY = 10000; // milliseconds

async function renew() {
  if (document.hidden) return;
  const response = await fetch(location.href, { cache: "no-store" });
  if (!response.ok) return;
  const found = new DOMParser().parseFromString(await response.text(), "text/html");
  document.title = found.title;
  for (const part of ["header", "main"]) {
    const [before, after] = [document, found].map((each) => each.querySelector(part));
    if (before && after && before.innerHTML !== after.innerHTML) before.replaceWith(document.adoptNode(after));
  }
}

setInterval(() => renew().catch(() => {}), EVERY); // the next one may succeed
