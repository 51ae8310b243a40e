// Messages in the page's live regions: notices are polite, alerts are assertive. Confirmations are dialogs.

const showTime = 8000;

/**
 * Shows a notice for a while.
 * @param {{label: string, run: () => void}} [action] a button beside the text
 */
export function notice(text, action) {
  const element = document.createElement("div");
  element.className = "notice";
  const words = document.createElement("span");
  words.className = "notice-text";
  words.textContent = text;
  element.append(words);
  let timer = null;
  const leave = () => element.remove();
  const wait = () => {
    timer = setTimeout(leave, action ? 2 * showTime : showTime);
  };
  if (action) {
    const button = document.createElement("button");
    button.className = "notice-action";
    button.textContent = action.label;
    button.addEventListener("click", () => {
      leave();
      action.run();
    });
    element.append(button);
  }
  // A person who reads or uses a notice has all the time.
  for (const name of ["pointerenter", "focusin"]) element.addEventListener(name, () => clearTimeout(timer));
  for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, wait);
  document.getElementById("notices").append(element);
  wait();
}

/** Shows an error with its advice until it is closed or the next one comes. */
export function alertOf(error) {
  const alerts = document.getElementById("alerts");
  const words = document.createElement("p");
  words.className = "alert-text";
  words.textContent = [error.message, error.advice].filter(Boolean).join(" ");
  const close = document.createElement("button");
  close.className = "alert-close";
  close.textContent = "Close";
  close.addEventListener("click", () => alerts.replaceChildren());
  alerts.replaceChildren(words, close);
}

/** Takes the last error away. */
export function clearAlert() {
  document.getElementById("alerts").replaceChildren();
}

/** Runs an action and shows its error, if it fails. @returns its result, or null */
export async function attempt(action) {
  try {
    return (await action()) ?? {};
  } catch (error) {
    alertOf(error);
    return null;
  }
}

/** Asks a question in the page's dialog. @returns {Promise<boolean>} */
export function confirmed(question, yes) {
  const dialog = document.getElementById("confirm");
  dialog.querySelector("#confirm-text").textContent = question;
  dialog.querySelector("#confirm-yes").textContent = yes;
  return new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    dialog.showModal();
  });
}
