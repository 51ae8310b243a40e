// Ranges of a text that is shown in chunks.

const frames = 20;

/**
 * Scrolls the window so that a range is in its middle.
 * A browser lays out a chunk only once it is visible, and the text moves then. So the window follows for some frames.
 */
export async function scrollToRange(range) {
  range.startContainer.parentElement?.scrollIntoView({ block: "nearest", behavior: "instant" });
  for (let frame = 0; frame < frames; frame++) {
    const { top, height } = range.getBoundingClientRect();
    if (height > 0) window.scrollBy({ top: top - window.innerHeight / 2, behavior: "instant" });
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}
