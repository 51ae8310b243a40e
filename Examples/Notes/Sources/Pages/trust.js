// Whether the program that answers is this page's server. Nothing but a random number is sent to another one.
//
//            the server's secret                a stream is open               the stream ends
//   begun ───────────────────────► known ───────────────────────► trusted ───────────────────────► known
//
// The server may end, and another program may take its port. So a request without an open stream waits until the server
// has proven that it knows the folder's secret. Then the page proves the same, and gets the cookie of the server's run.
// The secret is in the memory of the page alone: the other program would get all that the browser stores for the address.

const encoder = new TextEncoder();
const always = { cache: "no-store", redirect: "error" };
let secret = null;
let hasStream = false;
let attempt = null;

/** The program that answers is not the server of this page. */
export class StrangerError extends Error {}

/** Waits for the server's proof. It throws a `StrangerError`, the error of `fetch`, or the response of a refusal. */
export async function trusted() {
  if (hasStream) return;
  attempt ??= (secret ? renew() : begin()).finally(() => (attempt = null));
  await attempt;
}

/** Tells whether a stream of the server is open. It would end with the server. */
export function streamIsOpen(value) {
  hasStream = value;
}

/** The server that sent the page with the cookie gives the secret. */
async function begin() {
  const response = await fetch("/api/key", { ...always, credentials: "same-origin" });
  if (!response.ok) throw response;
  const { key } = await response.json();
  secret = await crypto.subtle.importKey("raw", encoder.encode(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function renew() {
  const number = word(crypto.getRandomValues(new Uint8Array(24)));
  const answer = await fetch(`/api/proof?number=${number}`, { ...always, credentials: "omit" });
  const given = await answer.json().catch(() => ({}));
  if (given.proof !== (await proof("server", number))) throw new StrangerError();
  const path = `/api/cookie?proof=${await proof("page", given.number)}`;
  const response = await fetch(path, { ...always, method: "POST", credentials: "same-origin" });
  if (!response.ok) throw response;
}

async function proof(role, number) {
  return word(new Uint8Array(await crypto.subtle.sign("HMAC", secret, encoder.encode(`${role} ${location.host} ${number}`))));
}

function word(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
