// The state light: which state of a document the page shows, and in which words.

const words = {
  opening: "Opening…",
  saved: "Saved",
  unsaved: "Not saved yet",
  saving: "Saving…",
  error: "Could not save",
  conflict: "In conflict",
  disabled: "Editing is off",
  offline: "Offline",
  deleted: "Deleted",
  moved: "Moved",
};

/**
 * The light of a document, from all that the page knows.
 * @param {{stream: string, server: string|null, isPending: boolean, isSaved: boolean, isDeleted: boolean, justMoved: boolean}} facts
 */
export function lightOf({ stream, server, isPending, isSaved, isDeleted, justMoved }) {
  if (isDeleted || server === "deleted") return "deleted";
  if (stream === "lost" || stream === "refused") return "offline";
  if (server === null) return "opening";
  if (server === "error" || server === "conflict" || server === "disabled") return server;
  if (server === "saved" && (isPending || !isSaved)) return "unsaved";
  if (server === "saved" && justMoved) return "moved";
  return server;
}

/** Shows a light. It writes only what changed, so that a screen reader speaks only of changes. */
export function showLight(element, light) {
  if (element.dataset.light === light) return;
  element.dataset.light = light;
  element.querySelector(".light-text").textContent = words[light];
}
