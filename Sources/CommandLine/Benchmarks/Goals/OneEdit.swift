import FoundationEssentials

/// The cost of one `docpkg edit` of a small document that was edited before.
struct OneEdit {
  /// The syncs that its report tells.
  var flushes: Int

  private struct Report: Decodable {
    var synchronizations: Int
  }

  /// Makes the document in a folder and edits it.
  ///
  /// - Throws: `StrategyUnavailable`, `ChildProcessError`; the error of reading the report.
  init(_ command: String, of document: String, in folder: String) throws {
    let process = ChildProcess(directory: folder)
    let report = URL(filePath: folder).appending(path: document + ".json")
    try process.run(command, ["new", document, "--text", "One\n", "--quiet"])
    try process.run(command, ["edit", document, "--append", "Two\n", "--quiet"])
    try process.run(command, ["edit", document, "--append", "Three\n", "--json"], output: report.path)
    flushes = try JSONDecoder().decode(Report.self, from: Data(contentsOf: report)).synchronizations
  }
}
