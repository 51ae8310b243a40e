// Sends the edits of a session, one request at a time. What is typed meanwhile goes with the next one.

import { post } from "./api.js";

const pause = 2000;

/** The way of a session's edits to the server. */
export class Sender {
  #session;
  #path;
  #onError;
  #onStale;
  #isOn = false;
  #isUnderWay = false;
  #waiting = [];

  /**
   * @param {() => string} path the document's address
   * @param {(error: Error) => void} onError the server refused an edit; the sender tries again
   * @param {() => void} onStale the server has another run of the document than the stream: the page must connect again
   */
  constructor(session, path, onError, onStale) {
    this.#session = session;
    this.#path = path;
    this.#onError = onError;
    this.#onStale = onStale;
  }

  /** The stream is there, and the page has all events: an open edit goes out again. */
  start() {
    this.#isOn = true;
    if (!this.#isUnderWay) this.#send(this.#session.repeat());
    this.push();
  }

  /** The stream is gone. */
  stop() {
    this.#isOn = false;
  }

  /** Sends what was collected, if the last edit is acknowledged. */
  push() {
    if (this.#isOn && !this.#isUnderWay) this.#send(this.#session.next());
    if (!this.#session.isPending) for (const done of this.#waiting.splice(0)) done();
  }

  /** Waits until the server has all edits. */
  idle() {
    this.push();
    if (!this.#session.isPending) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  async #send(request) {
    if (!request) return;
    this.#isUnderWay = true;
    let problem = null;
    try {
      await post(`${this.#path()}/text`, request);
    } catch (error) {
      problem = error;
    }
    this.#isUnderWay = false;
    if (!problem) {
      this.push();
      return;
    }
    // Without an answer, the stream ends too, and the page says so. The stream may be there again before the answer is
    // lost: then nothing else sends the edit.
    const isStale = problem.status === 409;
    if (!problem.isOffline && !isStale) this.#onError(problem);
    setTimeout(() => this.#isOn && (isStale ? this.#onStale() : this.start()), pause);
  }
}
