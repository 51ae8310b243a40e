import FoundationEssentials

/// A directory that exists as long as the value does.
struct TemporaryDirectory: ~Copyable {
  let path: String

  init() throws {
    let name = "uniform-types-" + UUID().uuidString
    path = FileManager.default.temporaryDirectory.appending(path: name).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A directory that a test leaves does no harm.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, with its directories, and returns its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    let directory = URL(filePath: file).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: file))
    return file
  }
}
