// Numbers, dates and counts as people write them.

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const dayOfYear = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });
const weekday = new Intl.DateTimeFormat("en", { weekday: "long" });
const longDay = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const time = new Intl.DateTimeFormat("en", { timeStyle: "short" });
const whole = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** "3 documents", "1 document" */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A size in the units that the system's file windows show. */
export function size(bytes) {
  if (bytes === undefined) return "";
  if (bytes < 1000) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** The number of midnights between a date and now. */
export function daysAgo(milliseconds, now = new Date()) {
  return Math.round((startOfDay(now) - startOfDay(new Date(milliseconds))) / 86_400_000);
}

/** The time of a date of today, "Yesterday", the day of the week, or the day; with its year if it is of another one. */
export function shortDate(milliseconds, now = new Date()) {
  const date = new Date(milliseconds);
  const days = daysAgo(milliseconds, now);
  if (days === 0) return time.format(date);
  if (days === 1) return "Yesterday";
  if (days > 1 && days < 7) return weekday.format(date);
  return (date.getFullYear() === now.getFullYear() ? dayOfYear : day).format(date);
}

/** "Today", "Yesterday", or the day with its weekday. */
export function dayName(milliseconds, now = new Date()) {
  const days = daysAgo(milliseconds, now);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return longDay.format(new Date(milliseconds));
}

export function timeOfDay(milliseconds) {
  return time.format(new Date(milliseconds));
}

export function wholeDate(milliseconds) {
  return whole.format(new Date(milliseconds));
}

function startOfDay(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate());
}
