// What can be done to posts: each is an operation that clients have too. Those that can be undone say how.

import { send } from "./desk.js";

const WRITE = "api/v5/write/";
const JSON_TYPE = { "Content-Type": "application/json" };

/** An answer that is no success; `status` 0 where there was none. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Sends a write and gives the document of its answer. Throws Refused. */
export async function write(path, body, version, key) {
  const headers = { ...JSON_TYPE };
  if (version) headers["If-Match"] = String(version);
  if (key) headers["Idempotency-Key"] = key;
  let response;
  try {
    response = await send(path, { method: "POST", headers, body: JSON.stringify(body ?? {}) });
  } catch {
    throw new Refused(0, "");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.message ?? String(response.status));
  return answer;
}

export const create = (liveblog, body, key) =>
  write(`${WRITE}event/create.json?ticker_local_id=${encodeURIComponent(liveblog)}`, body, null, key);
export const update = (post, body, version) =>
  write(`${WRITE}event/update.json?event_local_id=${encodeURIComponent(post)}`, body, version);
export const remove = (post, version) =>
  write(`${WRITE}event/delete.json?event_local_id=${encodeURIComponent(post)}`, {}, version);
export const modify = (liveblog, modifications, version) =>
  write(`${WRITE}ticker/post_modifications.json`, { local_id: liveblog, modifications }, version);
export const handBack = (organization, liveblog, body) =>
  write(`apigw/sports/v2/${encodeURIComponent(organization)}/liveblog/${encodeURIComponent(liveblog)}/external/handback.json`, body);

/** Stores a file of the organization and gives the entry that a post shows it by. Throws Refused. */
export async function upload(organization, file) {
  const form = new FormData();
  form.append("file", file);
  let response;
  try {
    response = await send(`api/mediaservice/v3/organization/${encodeURIComponent(organization)}/upload`, { method: "POST", body: form });
  } catch {
    throw new Refused(0, "");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.message ?? String(response.status));
  return answer;
}
