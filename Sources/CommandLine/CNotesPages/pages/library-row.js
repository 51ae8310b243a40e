// One row of the library.

import { shortDate, size, wholeDate } from "./words.js";

const cloudWords = {
  current: "In the cloud",
  uploading: "Uploading",
  downloading: "Downloading",
  notDownloaded: "Not downloaded",
  waiting: "Waiting",
  conflict: "Conflict",
  error: "Cloud error",
};

/** A new row from the page's template. */
export function newRow(template) {
  return template.content.firstElementChild.cloneNode(true);
}

/** Shows a document in a row. It changes only what is different. */
export function fillRow(row, item, details) {
  const name = row.querySelector(".row-name");
  row.dataset.id = item.id;
  row.dataset.place = item.place;
  set(name, item.name);
  if (item.editable) name.setAttribute("href", `/d/${item.id}`);
  else name.removeAttribute("href");
  set(row.querySelector(".row-folder"), item.folder.replaceAll("/", " › "));
  set(row.querySelector(".row-line"), lineOf(item, details));
  set(row.querySelector(".row-date"), shortDate(item.modified));
  row.querySelector(".row-date").title = wholeDate(item.modified);
  set(row.querySelector(".row-size"), size(item.size ?? details?.size));
  row.querySelector(".row-menu").setAttribute("aria-label", `Actions for ${item.name}`);
  fillCloud(row.querySelector(".row-cloud"), item, details);
  fillThumbnail(row.querySelector(".row-picture"), details);
}

/** The words for the state of a document in the cloud, or null. */
export function cloudState({ cloud }, details) {
  const hasConflict = cloud?.conflict || details?.conflict;
  if (cloud?.error) return { key: "error", words: cloudWords.error, title: cloud.error };
  if (hasConflict) return { key: "conflict", words: cloudWords.conflict, title: "There are several versions." };
  if (!cloud) return null;
  const isMoving = cloud.progress !== undefined && (cloud.status === "uploading" || cloud.status === "downloading");
  const percent = isMoving ? ` ${Math.floor(cloud.progress * 100)} %` : "";
  return { key: cloud.status, words: cloudWords[cloud.status] + percent, title: "", progress: isMoving ? cloud.progress : null };
}

function lineOf(item, details) {
  if (details?.error) return details.error;
  if (!item.editable) return "This page cannot open documents of this type.";
  if (!details) return "";
  const title = details.title && details.title !== item.name ? details.title : "";
  return [title, details.line].filter(Boolean).join(" — ");
}

function fillCloud(element, item, details) {
  const state = cloudState(item, details);
  element.hidden = !state;
  if (!state) {
    delete element.dataset.cloud;
    return;
  }
  element.dataset.cloud = state.key;
  element.title = state.title;
  set(element, state.words);
  element.style.setProperty("--progress", state.progress ?? 0);
}

function fillThumbnail(cell, details) {
  const url = details?.thumbnail ?? null;
  const present = cell.firstElementChild;
  if ((present.getAttribute("src") ?? null) === url) return;
  const next = document.createElement(url ? "img" : "span");
  next.className = "row-thumb";
  if (url) Object.assign(next, { src: url, alt: "", width: 48, height: 48, decoding: "async", draggable: false });
  else next.setAttribute("aria-hidden", "true");
  present.replaceWith(next);
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
