import Foundation

/// A model that uses `FileWrapper` alone.
final class Archive {
  let undoManager = UndoManager()
  private var root: FileWrapper

  init() { root = FileWrapper(directoryWithFileWrappers: [:]) }

  init(contentsOf url: URL) throws { root = try FileWrapper(url: url, options: []) }

  func text(_ name: String) -> String? {
    root.fileWrappers?[name]?.regularFileContents.flatMap { String(data: $0, encoding: .utf8) }
  }

  func set(_ name: String, _ data: Data) {
    if let old = root.fileWrappers?[name] {
      let contents = old.regularFileContents ?? Data()
      undoManager.registerUndo(withTarget: self) { $0.set(name, contents) }
      root.removeFileWrapper(old)
    }
    let child = FileWrapper(regularFileWithContents: data)
    child.preferredFilename = name
    root.addFileWrapper(child)
  }

  func write(to url: URL) throws {
    let isThere = FileManager.default.fileExists(atPath: url.path)
    try root.write(
      to: url, options: [.atomic, .withNameUpdating], originalContentsURL: isThere ? url : nil)
  }
}
