// Headless browsers that a test controls: Chromium by chromedriver (WebDriver), Firefox by its own Marionette, which has
// the same commands over a socket.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const names = { control: "\ue009", shift: "\ue008", enter: "\ue007", escape: "\ue00c", backspace: "\ue003", delete: "\ue017", left: "\ue012", right: "\ue014", up: "\ue013", down: "\ue015", home: "\ue011", end: "\ue010" };

/** Waits until a condition gives a value. */
export async function until(what, condition, patience = 60_000) {
  for (let end = Date.now() + patience; ; ) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** What both browsers do, by the commands of WebDriver. */
class Browser {
  go(url) {
    return this.command("Navigate", "POST /url", { url });
  }

  /** Calls a function in the page. */
  run(body, ...args) {
    const script = `return (${body})(...arguments);`;
    return this.command("ExecuteScript", "POST /execute/sync", { script, args });
  }

  /** Presses keys one after the other: a letter, or names such as "control+backspace". */
  press(...keys) {
    const actions = keys.flatMap((key) => {
      const parts = key.length > 1 && key in names === false && key.includes("+") ? key.split("+") : [key];
      const values = parts.map((part) => names[part] ?? part);
      const down = values.map((value) => ({ type: "keyDown", value }));
      return [...down, ...values.reverse().map((value) => ({ type: "keyUp", value }))];
    });
    return this.command("PerformActions", "POST /actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** Clicks with the mouse at a point of the window. */
  clickAt(x, y) {
    const actions = [{ type: "pointerMove", duration: 0, x, y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    return this.command("PerformActions", "POST /actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
  }

  /** Drags with the mouse from one point of the window to another one. */
  dragTo(from, to) {
    const moves = [100, 50].map((duration) => ({ type: "pointerMove", duration, ...to }));
    const actions = [{ type: "pointerMove", duration: 0, ...from }, { type: "pointerDown", button: 0 }, ...moves, { type: "pointerUp", button: 0 }];
    return this.command("PerformActions", "POST /actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
  }

  async click(selector) {
    const element = await this.command("FindElement", "POST /element", { using: "css selector", value: selector });
    const [id] = Object.values(element.value ?? element);
    return this.command("ElementClick", `POST /element/${id}/click`, { id });
  }
}

class Chromium extends Browser {
  async open() {
    this.driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    this.driver.stdout.on("data", (data) => (output += data));
    const port = await until("chromedriver's port", () => /started successfully on port (\d+)/.exec(output)?.[1]);
    this.address = `http://127.0.0.1:${port}/session`;
    const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1280,900", "--lang=en"];
    const alwaysMatch = { browserName: "chrome", "goog:chromeOptions": { args } };
    const { sessionId } = await this.#ask("POST", "", { capabilities: { alwaysMatch } });
    this.address += `/${sessionId}`;
    return this;
  }

  command(name, route, body) {
    const [method, path] = route.split(" ");
    return this.#ask(method, path, body);
  }

  async #ask(method, path, body) {
    const response = await fetch(this.address + path, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }

  async close() {
    // The end of the driver ends a browser that does not answer any more.
    await this.#ask("DELETE", "").catch(() => {});
    this.driver.kill();
  }
}

class Firefox extends Browser {
  #replies = new Map();
  #last = 0;

  async open() {
    this.profile = mkdtempSync(join(tmpdir(), "firefox-"));
    const args = ["--headless", "--no-remote", "--marionette", "--profile", this.profile, "--width", "1280", "--height", "900"];
    const environment = { ...process.env, MOZ_HEADLESS: "1", HOME: this.profile };
    this.#preferences({ "marionette.port": 0, "browser.shell.checkDefaultBrowser": false });
    this.process = spawn("firefox-esr", args, { stdio: "ignore", env: environment });
    const port = await until("Marionette's port", () => this.#port());
    this.socket = connect(port, "127.0.0.1");
    this.#read();
    await this.command("NewSession", "", { capabilities: { alwaysMatch: {} } });
    return this;
  }

  #preferences(values) {
    const lines = Object.entries(values).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
    writeFileSync(join(this.profile, "user.js"), lines.join(""));
  }

  #port() {
    try {
      return Number(readFileSync(join(this.profile, "MarionetteActivePort"), "utf8"));
    } catch {
      // It is not there yet.
      return 0;
    }
  }

  /** Reads messages: a length, a colon, and JSON. */
  #read() {
    let buffer = Buffer.alloc(0);
    this.socket.on("data", (data) => {
      buffer = Buffer.concat([buffer, data]);
      for (let colon = buffer.indexOf(58); colon > 0; colon = buffer.indexOf(58)) {
        const end = colon + 1 + Number(buffer.subarray(0, colon));
        if (buffer.length < end) return;
        const message = JSON.parse(buffer.subarray(colon + 1, end));
        buffer = buffer.subarray(end);
        if (Array.isArray(message)) this.#replies.get(message[1])?.(message);
      }
    });
  }

  async command(name, route, body) {
    const id = ++this.#last;
    const message = Buffer.from(JSON.stringify([0, id, `WebDriver:${name}`, body]));
    const [, , error, result] = await new Promise((resolve) => {
      this.#replies.set(id, resolve);
      this.socket.write(`${message.length}:${message}`);
    });
    if (error) throw new Error(`${name}: ${error.error}: ${error.message}`);
    return result !== null && typeof result === "object" && "value" in result ? result.value : result;
  }

  async close() {
    this.socket.destroy();
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Opens a browser of a name, "chromium" or "firefox". */
export function open(name) {
  return (name === "firefox" ? new Firefox() : new Chromium()).open();
}
