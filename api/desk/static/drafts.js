// What somebody has written and not sent: kept in this browser by account, liveblog and post until it is sent or thrown away.

const PREFIX = "desk-draft", LEFT = "desk-left";
let keeps = true;

/** The drafts of an account in a liveblog; `shown` is called once they may be others. */
export class Drafts {
  constructor({ person, liveblog }, shown) {
    this.start = `${PREFIX} ${person} ${liveblog} `;
    addEventListener("storage", (event) => {
      if (event.key === `${LEFT} ${person}`) keeps = false; // signed out in another tab: nothing is kept after it
      if (event.key?.startsWith(this.start)) shown();
    });
  }

  /** The posts that have one, "" for a new one; the newest first. */
  posts() {
    const names = Object.keys(localStorage).filter((each) => each.startsWith(this.start)).map((each) => each.slice(this.start.length));
    return names.sort((one, other) => (this.of(other)?.at ?? 0) - (this.of(one)?.at ?? 0));
  }

  of(post) {
    return JSON.parse(localStorage.getItem(this.start + post));
  }

  keep(post, draft) {
    try {
      if (keeps) localStorage.setItem(this.start + post, JSON.stringify({ ...draft, at: Date.now() }));
    } catch {
      this.drop(post); // there is no room: half of it would be worse than the page alone
    }
  }

  drop(post) {
    localStorage.removeItem(this.start + post);
  }
}

/** Whoever signs out takes all words along. */
export function dropAll(person) {
  for (const each of Object.keys(localStorage)) if (each.startsWith(`${PREFIX} ${person} `)) localStorage.removeItem(each);
  localStorage.setItem(`${LEFT} ${person}`, String(Date.now()));
  localStorage.removeItem(`${LEFT} ${person}`);
}
