// What one person has changed, laid over what somebody else has made of the same post meanwhile: field by field, nothing else.

/** Whether two values are the same, where nothing, null and empty are one value. */
export function same(one, other) {
  return written(one) === written(other);
}

function written(value) {
  if (value === null || value === undefined || value === "") return "";
  return JSON.stringify(plain(value));
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.keys(value).sort().filter((name) => value[name] !== null && value[name] !== "" && value[name] !== undefined);
  return Object.fromEntries(kept.map((name) => [name, plain(value[name])]));
}

/**
 * Three states of the same fields: as they were when I began, as I have them now, as they are by now.
 *
 * `send`: what I have changed and nobody else has, or to the same; `theirs`: what others have changed and I have not;
 * `both`: the names of fields that both have changed, each to something else.
 */
export function merge(base, mine, theirs) {
  const send = {}, taken = {}, both = [];
  for (const name of new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])) {
    const iChanged = !same(base[name], mine[name]);
    const theyChanged = !same(base[name], theirs[name]);
    if (iChanged && theyChanged && !same(mine[name], theirs[name])) both.push(name);
    else if (iChanged && !theyChanged) send[name] = mine[name];
    else if (theyChanged && !iChanged) taken[name] = theirs[name];
  }
  return { send, theirs: taken, both };
}
