// One row of the library.

import { nearHit, showHits } from "./hits.js";
import { shownLine } from "./text-marks.js";
import { shortDate, wholeDate } from "./words.js";

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

/** The address of a document's page, with the words of a search whose hits it shows. */
export function addressOf({ id }, search) {
  return search.isOn ? `/d/${id}#${new URLSearchParams({ find: search.text })}` : `/d/${id}`;
}

/** Shows a document in a row. It changes only what is different. @param {LibrarySearch} search */
export function fillRow(row, item, details, search) {
  const name = row.querySelector(".row-name");
  row.dataset.id = item.id;
  row.dataset.place = item.place;
  showHits(name, item.name, search.search);
  if (item.editable) name.setAttribute("href", addressOf(item, search));
  else name.removeAttribute("href");
  set(row.querySelector(".row-folder"), item.folder.replaceAll("/", " › "));
  const excerpt = search.excerpt(item.id);
  showHits(row.querySelector(".row-line"), excerpt ? nearHit(excerpt, search.search) : lineOf(item, details), search.search);
  set(row.querySelector(".row-date"), shortDate(item.modified));
  row.querySelector(".row-date").title = wholeDate(item.modified);
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
  return [title, shownLine(details.line ?? "")].filter(Boolean).join(" — ");
}

function fillCloud(element, item, details) {
  const state = cloudState(item, details);
  // A row is quiet about a document that is as it should be.
  element.hidden = !state || state.key === "current";
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
  const url = details?.thumbnail ?? "";
  const present = cell.firstElementChild;
  if ((present.dataset.url ?? "") === url) return;
  const square = (kind) => {
    const element = document.createElement(kind);
    element.className = "row-thumb";
    element.dataset.url = url;
    return element;
  };
  const empty = square("span");
  empty.setAttribute("aria-hidden", "true");
  if (url === "") return present.replaceWith(empty);
  const picture = square("img");
  Object.assign(picture, { loading: "lazy", decoding: "async", alt: "", width: 48, height: 48, draggable: false, src: url });
  // A picture that the browser does not know.
  picture.addEventListener("error", () => picture.replaceWith(empty));
  present.replaceWith(picture);
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
