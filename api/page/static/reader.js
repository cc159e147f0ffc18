// Who the reader is to the service: a token for each organization, which this browser keeps.

const TOKENS = "../api/readers/v1/organization/"; // seen from the page of a liveblog
const KEPT = "matchwire.reader.";
const PATIENCE = 10000; // milliseconds for a response
const memory = new Map(); // where the browser keeps nothing
const signIns = new Map(); // by which organizations say who the reader is; each counts once

/** The token that the reader has already, null without one. */
export function knownToken(organization) {
  try {
    return localStorage.getItem(KEPT + organization);
  } catch {
    return memory.get(organization) ?? null;
  }
}

/** What the token says of the reader: `name` and `signed_in`; nothing without one. */
export function knownReader(organization) {
  try {
    const claims = knownToken(organization).split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(claims), (each) => each.charCodeAt(0))));
  } catch {
    return {};
  }
}

/** Signs the reader in by a token of the organization, as soon as the reader does something. */
export function offerSignIn(organization, signIn) {
  if (!knownReader(organization).signed_in) signIns.set(organization, signIn);
}

export function signsIn(organization) {
  return signIns.has(organization) || Boolean(knownReader(organization).signed_in);
}

/**
 * The reader's token; a new one where there is none, where the one so far is no longer taken (`fresh`), and for another
 * `name`, which only a reader has whom no organization signs in.
 */
export async function readerToken(page, organization, fresh = false, name = "") {
  const known = fresh ? null : knownToken(organization);
  const signIn = signIns.get(organization);
  const { name: before, signed_in: signedIn } = knownReader(organization);
  if (known && !signIn && (signedIn || !name || name === before)) return known;
  signIns.delete(organization);
  const address = new URL(`${TOKENS}${encodeURIComponent(organization)}/token`, page);
  const client = new URL(page).searchParams.get("client_id");
  if (client) address.searchParams.set("client_id", client);
  const headers = { "Content-Type": "application/json", ...(known ? { "Reader-Token": known } : {}) };
  const body = JSON.stringify(signIn ? { sign_in: signIn } : name ? { name } : {});
  const response = await fetch(address, { method: "POST", headers, body, signal: AbortSignal.timeout(PATIENCE) });
  if (response.status === 401 && known && !signIn) return readerToken(page, organization, true, name);
  if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
  const { token } = await response.json();
  memory.set(organization, token);
  try {
    localStorage.setItem(KEPT + organization, token);
  } catch {
    // it lasts as long as the page
  }
  return token;
}
