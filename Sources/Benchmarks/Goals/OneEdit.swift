import FoundationEssentials
import Glibc

/// The cost of one `docpkg edit` of a small document that was edited before.
struct OneEdit {
  /// The syncs that its report tells.
  var flushes: Int
  /// The most memory of the process, in bytes.
  var peak: UInt64

  private struct Report: Decodable {
    var synchronizations: Int
  }

  /// Makes the document and edits it.
  ///
  /// - Throws: `StrategyUnavailable`, `ChildProcessError`; the error of reading the report.
  init(_ command: String, of document: String) throws {
    let report = document + ".json"
    try ChildProcess().run(command, ["new", document, "--text", "One\n", "--quiet"])
    try ChildProcess().run(command, ["edit", document, "--append", "Two\n", "--quiet"])
    ChildProcess.forgetPeak()
    try ChildProcess().run(command, ["edit", document, "--append", "Three\n", "--json"], output: report)
    peak = ChildProcess.peak ?? 0
    let bytes = try Data(contentsOf: URL(filePath: report))
    flushes = try JSONDecoder().decode(Report.self, from: bytes).synchronizations
  }

  /// The size of a file in bytes.
  ///
  /// - Throws: `StrategyUnavailable` if there is none.
  static func size(ofFile path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw StrategyUnavailable(description: "there is no '\(path)'") }
    return Int(status.st_size)
  }
}
