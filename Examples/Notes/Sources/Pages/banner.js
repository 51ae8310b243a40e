// The banner of a document: what a person has to know or decide, and the buttons for it.

import { wholeDate } from "./words.js";

const buttons = ["retry", "conflicts", "back", "new", "take", "discard"];

/**
 * The banner for a light, or null.
 * @param {{light: string, state: object|null, refusal: Error|null, hasText: boolean}} facts
 * @returns {{kind: string, text: string, advice: string, buttons: string[]}|null}
 */
export function bannerOf({ light, state, refusal, hasText }) {
  if (refusal?.status === 401) {
    return { kind: "signed-out", text: refusal.message, advice: refusal.advice ?? "Open the address that docpkg serve printed.", buttons: [] };
  }
  if (light === "deleted" && !hasText && refusal) {
    return { kind: "deleted", text: refusal.message, advice: refusal.deletion ? "" : (refusal.advice ?? ""), buttons: refusal.deletion ? ["back"] : [] };
  }
  if (light === "deleted") {
    return {
      kind: "deleted",
      text: state?.deletion ? "This document is in the trash." : "This document was deleted elsewhere.",
      advice: "You can still read and copy the text.",
      buttons: state?.deletion ? ["back"] : ["new"],
    };
  }
  if (refusal) return { kind: "error", text: refusal.message, advice: refusal.advice ?? "", buttons: ["retry"] };
  if (light === "error") {
    return { kind: "error", text: state.message ?? "The document could not be saved.", advice: state.advice ?? "", buttons: ["retry"] };
  }
  if (light === "offline") {
    return {
      kind: "offline",
      text: "The server does not answer.",
      advice: "You can go on writing. The page keeps your text and sends it when the server is back.",
      buttons: [],
    };
  }
  if (light === "conflict") {
    return {
      kind: "conflict",
      text: state.message ?? "There are several versions of this document.",
      advice: state.advice ?? "Compare them, then keep one, keep both, or merge them.",
      buttons: ["conflicts"],
    };
  }
  if (state?.recovery) {
    return {
      kind: "recovery",
      text: `Edits from ${wholeDate(state.recovery.date)} could not be saved then.`,
      advice: "They are still there. You can take them back.",
      buttons: ["take", "discard"],
    };
  }
  if (light === "disabled") {
    return { kind: "disabled", text: state.message ?? "Editing is off for a moment.", advice: state.advice ?? "", buttons: [] };
  }
  return null;
}

/** Shows a banner, or hides it. */
export function showBanner(element, banner) {
  const kind = banner?.kind ?? "";
  const words = banner ? `${banner.text}\n${banner.advice}` : "";
  if (element.dataset.banner === kind && element.dataset.words === words) return;
  element.dataset.banner = kind;
  element.dataset.words = words;
  element.hidden = !banner;
  if (!banner) return;
  element.querySelector("#banner-text").textContent = banner.text;
  element.querySelector("#banner-advice").textContent = banner.advice;
  for (const name of buttons) element.querySelector(`#banner-${name}`).hidden = !banner.buttons.includes(name);
}
