// Requests to the server that this page came from, and to no other program at its address.

import { StrangerError, trusted } from "./trust.js";

/** An answer that is an error: a whole sentence, and what to do. */
export class RequestError extends Error {
  /** @param {string|null} deletion the key with which a deleted document is put back */
  constructor(status, message, advice, deletion = null) {
    super(message);
    Object.assign(this, { status, advice, deletion });
  }

  /** Whether the server could not be reached. */
  get isOffline() {
    return this.status === 0;
  }
}

/** Gets JSON. */
export function get(path, options = {}) {
  return request(path, options);
}

/** Posts JSON and gets JSON. */
export function post(path, body = {}, options = {}) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...options,
  });
}

/** Sends the bytes of a file and gets JSON. */
export function put(path, file) {
  return request(path, { method: "PUT", headers: { "Content-Type": "application/octet-stream" }, body: file });
}

/** Does a request. It throws a `RequestError` for every answer that is not a success. */
export async function send(path, options) {
  let response;
  try {
    await trusted();
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", redirect: "error", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error instanceof Response) throw await errorOf(error);
    if (error instanceof StrangerError) throw strangerError();
    throw new RequestError(0, "The server does not answer.", "Is docpkg serve still running? The page tries again by itself.");
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** A page stays offline while another program has the server's address. */
function strangerError() {
  const advice = "The page keeps your text, and sends nothing to that program. End it, and run docpkg serve again.";
  return Object.assign(new RequestError(0, "Another program answers at the server's address.", advice), { isStranger: true });
}

async function request(path, options) {
  const response = await send(path, options);
  return response.json();
}

async function errorOf(response) {
  let error = null;
  try {
    error = (await response.json()).error;
  } catch {
    // The answer is not from docpkg: its status has to do.
  }
  if (response.status === 401 && !error) {
    error = { message: "This page is no longer signed in.", advice: "Open the address that docpkg serve printed." };
  }
  return new RequestError(response.status, error?.message ?? `The server answered ${response.status}.`, error?.advice ?? null, error?.deletion);
}
