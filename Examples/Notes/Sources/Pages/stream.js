// One stream of server-sent events. It is read with fetch, because an EventSource hides the status of an answer.
//
//              connect                 answer
//   closed ──────────────► connecting ────────► open
//      ▲                     ▲    │               │ the stream ends
//      │ close               │    ▼ no answer     ▼
//      └──────────────────── waiting  ◄───────────┘

import { send } from "./api.js";
import { streamIsOpen } from "./trust.js";

const waits = [250, 500, 1000, 2000, 3000];

/** A stream that connects again by itself until it is closed. */
export class Stream {
  #address;
  #onEvent;
  #onChange;
  #abort = null;
  #timer = null;
  #failures = 0;

  /**
   * @param {() => string} address is asked for each connection
   * @param {(name: string, data: object) => void} onEvent
   * @param {(state: "open"|"lost"|"refused"|"closed", error?: Error) => void} onChange "refused": the server answered with an error
   */
  constructor(address, onEvent, onChange) {
    this.#address = address;
    this.#onEvent = onEvent;
    this.#onChange = onChange;
  }

  get isClosed() {
    return this.#abort === null && this.#timer === null;
  }

  connect() {
    this.#stop();
    this.#abort = new AbortController();
    this.#read(this.#abort.signal);
  }

  close() {
    this.#stop();
    this.#onChange("closed");
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#abort?.abort();
    this.#abort = null;
    streamIsOpen(false);
  }

  async #read(signal) {
    let problem = null;
    try {
      const response = await send(this.#address(), { headers: { Accept: "text/event-stream" }, signal });
      if (signal.aborted) return;
      streamIsOpen(true);
      this.#onChange("open");
      await this.#events(response.body, signal);
    } catch (error) {
      problem = error;
    }
    if (signal.aborted) return;
    streamIsOpen(false);
    this.#abort = null;
    if (problem?.status > 0 && problem.status < 500) {
      this.#onChange("refused", problem);
      return;
    }
    this.#timer = setTimeout(() => this.connect(), waits[Math.min(this.#failures++, waits.length - 1)]);
    this.#onChange("lost", problem);
  }

  async #events(body, signal) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const lines = new EventLines((name, data) => {
      this.#failures = 0;
      this.#onEvent(name, data);
    });
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      lines.take(value);
    }
  }
}

/** The lines of a stream, put together as events. */
export class EventLines {
  #onEvent;
  #parts = [];
  #name = "message";
  #data = [];

  constructor(onEvent) {
    this.#onEvent = onEvent;
  }

  /** Takes the next stretch of the stream, which may end anywhere. */
  take(stretch) {
    let start = 0;
    for (let end = stretch.indexOf("\n"); end >= 0; end = stretch.indexOf("\n", start)) {
      this.#parts.push(stretch.slice(start, end));
      this.#line(this.#parts.join(""));
      this.#parts = [];
      start = end + 1;
    }
    if (start < stretch.length) this.#parts.push(stretch.slice(start));
  }

  #line(line) {
    if (line.endsWith("\r")) line = line.slice(0, -1);
    if (line === "") {
      if (this.#data.length > 0) this.#onEvent(this.#name, JSON.parse(this.#data.join("\n")));
      this.#name = "message";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon <= 0) return;
    const value = line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    const field = line.slice(0, colon);
    if (field === "event") this.#name = value;
    if (field === "data") this.#data.push(value);
  }
}
