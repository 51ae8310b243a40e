import AppleOSLog
import Testing

@Suite("Messages of a log")
struct LogTests {
  @Test(
    arguments: [
      ("plain", "plain"),
      ("name \("wren")", "name wren"),
      ("name \("wren", privacy: .public)", "name wren"),
      ("name \("wren", privacy: .private)", "name <private>"),
      ("count \(7, privacy: .sensitive)", "count <private>"),
    ] as [(OSLogMessage, String)])
  func `show values that are not private`(_ message: OSLogMessage, _ text: String) {
    #expect(message.text == text)
  }

  @Test(
    arguments: [
      (.default, true), (.error, true), (.fault, true), (.info, false), (.debug, false),
    ] as [(OSLogType, Bool)])
  func `are written by their type`(_ type: OSLogType, _ isWritten: Bool) {
    #expect(OSLog.default.isEnabled(type: type) == isWritten)
    #expect(!OSLog.disabled.isEnabled(type: type))
  }

  @Test func `are not made if they are not written`() {
    func fail() -> OSLogMessage {
      Issue.record("The message was made.")
      return ""
    }
    let logger = Logger(subsystem: "org.example", category: "tests")
    logger.debug(fail())
    logger.info(fail())
    Logger(.disabled).fault(fail())
  }
}
