// Dates and times as a language writes them, in the reader's zone; the same for posts, comments and lists.

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const DATE = { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" };

/** A moment (a Date, or what a Date is made of) in the form `date`, with its time, or `time`. */
export function written(moment, form, language) {
  const at = new Date(moment);
  return form === "time" ? at.toLocaleTimeString(language, TIME) : at.toLocaleString(language, DATE);
}

/** Turns the times within an element into the reader's. */
export function localise(within, language) {
  for (const time of within.querySelectorAll("time[data-form]")) {
    time.textContent = written(time.dateTime, time.dataset.form, language);
    if (time.nextSibling?.className === "zone") time.nextSibling.remove();
  }
}
