import Foundation
import Synchronization
import SystemPackage
import Testing

/// One headless Chromium, as a user sees and uses it.
struct Browser: Sendable {
  let driver: Driver
  let session: String

  /// Runs `body` with a browser of its own.
  ///
  /// - Parameter logsNetwork: whether `networkEvents()` has something to tell.
  static func with<Result>(
    logsNetwork: Bool = false, _ body: (Browser) async throws -> Result
  ) async throws -> Result {
    try await Driver.with { driver in
      var logs: JSON = ["browser": "ALL"]
      if logsNetwork { logs = ["browser": "ALL", "performance": "ALL"] }
      let answer = try await driver.command(
        "POST", "/session",
        [
          "capabilities": [
            "alwaysMatch": [
              "browserName": "chrome",
              "goog:loggingPrefs": logs,
              "goog:chromeOptions": [
                "binary": .string(Driver.browser?.path ?? ""),
                "args": [
                  "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                  "--window-size=1280,900", "--force-color-profile=srgb", "--lang=en",
                ],
              ],
            ]
          ]
        ])
      let browser = Browser(driver: driver, session: answer["sessionId"].string ?? "")
      let result: Swift.Result<Result, any Error>
      do {
        result = .success(try await body(browser))
      } catch {
        result = .failure(error)
      }
      // The end of the driver ends a browser that does not answer any more.
      _ = try? await browser.command("DELETE", "")
      return try result.get()
    }
  }

  @discardableResult
  func command(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    try await driver.command(method, "/session/\(session)\(path)", body)
  }

  /// A command of Chromium's own protocol.
  @discardableResult
  func devTools(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
    try await command("POST", "/goog/cdp/execute", ["cmd": .string(method), "params": parameters])
  }

  // MARK: Pages

  func go(to address: String) async throws { try await command("POST", "/url", ["url": .string(address)]) }

  func reload() async throws { try await command("POST", "/refresh", [:]) }

  var address: String { get async throws { try await command("GET", "/url").string ?? "" } }

  /// The window or tab that commands are for.
  var window: String { get async throws { try await command("GET", "/window").string ?? "" } }

  /// Opens a window, and returns it. The present one stays the one that commands are for.
  func newWindow() async throws -> String {
    try await command("POST", "/window/new", ["type": "window"])["handle"].string ?? ""
  }

  func turn(to window: String) async throws {
    try await command("POST", "/window", ["handle": .string(window)])
  }

  /// Gives the page a size, and the user's choices of colours and motion.
  func emulate(width: Int, height: Int = 900, dark: Bool = false, reducedMotion: Bool = false) async throws {
    try await devTools(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(Double(width)), "height": .number(Double(height)), "deviceScaleFactor": 1,
        "mobile": false,
      ])
    try await devTools(
      "Emulation.setEmulatedMedia",
      [
        "features": [
          ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"],
          ["name": "prefers-reduced-motion", "value": reducedMotion ? "reduce" : "no-preference"],
        ]
      ])
  }

  /// A picture of the window, as PNG.
  func screenshot() async throws -> Data {
    Data(base64Encoded: try await command("GET", "/screenshot").string ?? "") ?? Data()
  }

  // MARK: Scripts

  /// Runs the body of a function in the page; `arguments[0]` is the first argument.
  @discardableResult
  func run(_ script: String, _ arguments: JSON...) async throws -> JSON {
    try await command("POST", "/execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Runs the body of an asynchronous function in the page.
  @discardableResult
  func runAsync(_ script: String, _ arguments: JSON...) async throws -> JSON {
    let wrapped = """
      const done = arguments[arguments.length - 1];
      (async (...arguments_) => { \(script) })(...arguments).then(
        (value) => done({ value }), (error) => done({ error: String(error) }));
      """
    let answer = try await command(
      "POST", "/execute/async", ["script": .string(wrapped), "args": .array(arguments)])
    if let error = answer["error"].string {
      throw Driver.Refusal(command: "script", error: "script error", message: error)
    }
    return answer["value"]
  }

  // MARK: Waiting

  /// Waits until an expression of JavaScript is true in the page, and returns its value.
  @discardableResult
  func wait(for what: String, until expression: String, _ arguments: JSON...) async throws -> JSON {
    let body: JSON = ["script": .string("return (\(expression));"), "args": .array(arguments)]
    let state = Seen()
    do {
      return try await withDeadline(what, seconds: 60) {
        while true {
          do {
            let value = try await command("POST", "/execute/sync", body)
            if value.holds { return value }
          } catch let refusal as Driver.Refusal {
            // A page that is just going has no values.
            state.set(refusal.description)
          }
          try await Task.sleep(for: .milliseconds(30))
        }
      }
    } catch let error as DeadlineExceeded {
      throw Unmet(what: "\(error) (\(expression)) \(state.text)", page: await picture())
    }
  }

  private final class Seen: Sendable {
    private let value = Mutex("")
    var text: String { value.withLock { $0 } }
    func set(_ text: String) { value.withLock { $0 = text } }
  }

  /// A wait that was in vain, with the page at that moment.
  struct Unmet: Error, CustomStringConvertible {
    var what: String
    var page: String
    var description: String { "\(what)\nThe page: \(page)" }
  }

  /// The text of the page, and the errors of its console.
  private func picture() async -> String {
    let text = try? await run(
      "return location.href + ' | ' + document.title + ' | ' + JSON.stringify({...document.body.dataset}) + ' | '"
        + " + document.body.innerText.slice(0, 1200)")
    let complaints = (try? await complaints()) ?? []
    return "\(text?.string ?? "no answer") | console: \(complaints)"
  }

  /// The errors on the console since the last call, but for failed requests: tests cause some of these.
  func complaints() async throws -> [String] {
    let entries = try await command("POST", "/se/log", ["type": "browser"]).elements
    return entries.filter { $0["level"] == "SEVERE" && $0["source"] != "network" }
      .map { $0["message"].string ?? "" }
  }

  /// The events of Chromium's Network domain since the last call.
  func networkEvents() async throws -> [(method: String, parameters: JSON)] {
    try await command("POST", "/se/log", ["type": "performance"]).elements.compactMap { entry in
      let message = try JSON(parsing: (entry["message"].string ?? "{}").utf8)["message"]
      guard let method = message["method"].string else { return nil }
      return (method, message["params"])
    }
  }
}
