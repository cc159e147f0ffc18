// Who the reader is to the service: a token for each organization, which this browser keeps.

const TOKENS = "../api/readers/v1/organization/"; // seen from the page of a liveblog
const KEPT = "matchwire.reader.";
const ACCOUNT = "matchwire.account."; // of an organization, whose token it is
const PATIENCE = 10000; // milliseconds for a response
const memory = new Map(); // where the browser keeps nothing
const signIns = new Map(); // by which organizations say who the reader is; each counts once

function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

function keep(key, value) {
  memory.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    // it lasts as long as the page
  }
}

function forget(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // nothing was kept
  }
}

// What a token says, unchecked: whoever has it may read it.
function claimsOf(token) {
  try {
    const claims = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(claims), (each) => each.charCodeAt(0))));
  } catch {
    return {};
  }
}

/** The token that the reader has already, null without one. */
export function knownToken(organization) {
  return kept(KEPT + organization);
}

/** What the token says of the reader: `name` and `signed_in`; nothing without one. */
export function knownReader(organization) {
  return claimsOf(knownToken(organization));
}

/**
 * Signs the reader in by a token of the organization, as soon as the reader does something. A token of another account, whose
 * reader was here before, is forgotten.
 */
export function offerSignIn(organization, signIn) {
  const { sub } = claimsOf(signIn);
  if (knownReader(organization).signed_in && kept(ACCOUNT + organization) !== String(sub)) signOut(organization);
  if (!knownReader(organization).signed_in) signIns.set(organization, signIn);
}

/** Forgets the token of a reader whom the organization has signed in; anonymous readers stay who they are. */
export function signOut(organization) {
  signIns.delete(organization);
  if (!knownReader(organization).signed_in) return;
  forget(KEPT + organization);
  forget(ACCOUNT + organization);
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
  keep(KEPT + organization, token);
  if (signIn) keep(ACCOUNT + organization, String(claimsOf(signIn).sub));
  return token;
}
