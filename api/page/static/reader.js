// Who the reader is to the service: a token for each organization, which this browser keeps.

const TOKENS = "../api/readers/v1/organization/"; // seen from the page of a liveblog
const KEPT = "matchwire.reader.";
const PATIENCE = 10000; // milliseconds for a response
const memory = new Map(); // where the browser keeps nothing

/** The token that the reader has already, undefined without one. */
export function knownToken(organization) {
  return (stored(organization) ?? memory.get(organization))?.token;
}

function stored(organization) {
  try {
    return JSON.parse(localStorage.getItem(KEPT + organization));
  } catch {
    return null;
  }
}

/** The reader's token; a new one where there is none, or where the one so far is no longer taken (`fresh`). */
export async function readerToken(page, organization, fresh = false) {
  const known = fresh ? undefined : knownToken(organization);
  if (known) return known;
  const address = new URL(`${TOKENS}${encodeURIComponent(organization)}/token`, page);
  const client = new URL(page).searchParams.get("client_id");
  if (client) address.searchParams.set("client_id", client);
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(address, { method: "POST", headers, body: "{}", signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const reader = await response.json(); // {token, reader}
  memory.set(organization, reader);
  try {
    localStorage.setItem(KEPT + organization, JSON.stringify(reader));
  } catch {
    // it lasts as long as the page
  }
  return reader.token;
}
