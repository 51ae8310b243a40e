import Foundation
import SystemPackage

/// `chromedriver`, which controls browsers for programs by the WebDriver protocol.
struct Driver: Sendable {
  static let program = Program.installed("chromedriver")
  static let browser = Program.installed("chromium")
  /// Whether this machine has both.
  static let isInstalled = program != nil && browser != nil

  struct Missing: Error {}

  private let process: TalkingProgram
  let port: Int

  private init() async throws {
    guard let program = Self.program else { throw Missing() }
    process = try TalkingProgram(program, ["--port=0"])
    port = try await process.expect("the port of chromedriver") { lines in
      let line = lines.first { $0.contains("was started successfully on port ") }
      return line?.split(separator: " ").last.flatMap { Int($0.filter(\.isNumber)) }
    }
  }

  /// Runs `body` with a driver, which ends its browsers when it ends.
  static func with<Result>(_ body: (Driver) async throws -> Result) async throws -> Result {
    let driver = try await Driver()
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await body(driver))
    } catch {
      result = .failure(error)
    }
    driver.process.signal(SIGTERM)
    try await driver.process.waitForEnd()
    return try result.get()
  }

  /// An error of the protocol.
  struct Refusal: Error, CustomStringConvertible {
    var command: String
    var error: String
    var message: String
    var description: String { "\(command): \(error): \(message.prefix(600))" }
  }

  /// Sends one command, and returns the value of the answer.
  @discardableResult
  func command(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    let port = port
    let sent = try body?.bytes ?? []
    let answer = try await waiting {
      let client = try TCPClient(port: port, patience: 300)
      let head =
        "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        + "Content-Type: application/json; charset=utf-8\r\nContent-Length: \(sent.count)\r\n\r\n"
      try client.send(Array(head.utf8) + sent)
      return try HTTPAnswer.read(from: client)
    }
    let value = try JSON(parsing: answer.body)["value"]
    guard answer.status == 200 else {
      throw Refusal(
        command: "\(method) \(path)", error: value["error"].string ?? "\(answer.status)",
        message: value["message"].string ?? "")
    }
    return value
  }
}
