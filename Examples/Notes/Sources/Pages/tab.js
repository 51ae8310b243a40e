// The name of this tab. It stays when the page loads anew; a tab that the browser duplicated gets a name of its own.

/** A random name of 16 letters and digits. */
export function randomName() {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => letters[byte % letters.length]).join("");
}

/** The tab's name. The page holds a lock of that name as long as it lives. */
export async function tabName() {
  const kept = sessionStorage.getItem("tab");
  const name = kept && (await lock(kept)) ? kept : randomName();
  if (name !== kept) {
    sessionStorage.setItem("tab", name);
    await lock(name);
  }
  return name;
}

function lock(name) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const forever = new Promise(() => {});
    navigator.locks.request(`tab ${name}`, { ifAvailable: true }, (granted) => {
      resolve(granted !== null);
      return granted ? forever : undefined;
    });
  });
}
