// The sessions of a document's history as elements of a list, by day.

import { sessionsOf } from "./version-sessions.js";
import { count, dayName, timeOfDay } from "./words.js";

/** Elements for versions, the newest first. @param {boolean} namesComputers whether each session names its computer */
export function daysOf(versions, namesComputers) {
  const days = new Map();
  for (const session of sessionsOf(versions, (date) => dayName(date))) {
    const name = dayName(session.versions[0].date);
    days.set(name, [...(days.get(name) ?? []), session]);
  }
  return [...days].flatMap(([name, sessions]) => {
    const head = document.createElement("h2");
    head.className = "day";
    head.textContent = name;
    return [head, listOf(sessions.map((session) => sessionRow(session, namesComputers)))];
  });
}

/** Opens or closes the versions of a session. */
export function toggle(button) {
  const isOpen = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(isOpen));
  button.nextElementSibling.hidden = !isOpen;
}

/** Shows the words that a row's versions changed. @param {{kind, text}|null} words */
export function showWords(button, words) {
  if (!words) return;
  const element = button.querySelector(".version-words");
  element.dataset.kind = words.kind;
  element.textContent = words.text;
  element.hidden = false;
  // The words say that the text changed.
  const what = button.querySelector(".version-what");
  what.hidden = what.textContent === "Text";
}

function sessionRow({ versions, since }, namesComputers) {
  const [newest, oldest] = [versions[0], versions.at(-1)];
  const row = document.createElement("li");
  row.className = "session";
  const changed = versions.some((version) => !version.changed) ? null : [...new Set(versions.flatMap((version) => version.changed))];
  row.append(versionButton({ ...newest, since, changed }, timesOf(oldest, newest), namesComputers));
  if (versions.length === 1) return row;
  const opener = document.createElement("button");
  opener.type = "button";
  opener.className = "session-toggle";
  opener.setAttribute("aria-expanded", "false");
  opener.textContent = count(versions.length, "version");
  const list = listOf(
    versions.map((version) => {
      const item = document.createElement("li");
      item.append(versionButton(version, timeOfDay(version.date), false));
      return item;
    }),
  );
  list.hidden = true;
  row.append(opener, list);
  return row;
}

function timesOf(oldest, newest) {
  const [from, to] = [timeOfDay(oldest.date), timeOfDay(newest.date)];
  return from === to ? to : `${from} – ${to}`;
}

function versionButton({ version, since, current, changed, computer }, times, namesComputer) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "version";
  Object.assign(button.dataset, { version, current });
  if (since) button.dataset.since = since;
  const lines = [
    ["version-time", current ? `Now · ${times}` : times],
    ["version-words", ""],
    ["version-what", whatOf(changed)],
    ["version-rest", namesComputer ? computer : ""],
  ];
  for (const [name, text] of lines) {
    const line = document.createElement("span");
    line.className = name;
    line.textContent = text;
    line.hidden = text === "";
    button.append(line);
  }
  return button;
}

/** What a version changed, in a few words; `changed` is null for the beginning of the document. */
function whatOf(changed) {
  if (!changed) return "Beginning";
  const images = changed.filter((path) => path.startsWith("Images/")).length;
  const parts = [changed.includes("Text.txt") && "Text", images > 0 && count(images, "image")].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : changed.length > 0 ? "Title or order" : "Nothing visible";
}

function listOf(rows) {
  const list = document.createElement("ul");
  list.setAttribute("role", "list");
  list.append(...rows);
  return list;
}
