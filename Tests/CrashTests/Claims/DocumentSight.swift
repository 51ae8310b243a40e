import FilePackages
import Foundation

/// The texts that a reader of this library finds in a document, in its versions and in its conflict versions.
struct DocumentSight: Sendable, Equatable {
  typealias Texts = [String: String]

  var texts: Texts
  var versions: [UUID: Texts] = [:]
  var conflicts: [UUID: Texts] = [:]
  /// The lines of `docpkg verify` if the document is not whole.
  var problems: [String] = []
  var policy: RetentionPolicy?

  /// Opens a document, which publishes a save that waits, and reads it.
  static func look(at path: String) async throws -> DocumentSight {
    let store = try await PackageStore.open(at: URL(filePath: path))
    var sight = DocumentSight(texts: try texts(await store.contents(ofConflict: nil)))
    for version in try await store.versions() {
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      sight.versions[version.persistentIdentifier] = try texts(tree).filter { !lost.contains($0.key) }
    }
    for version in try await store.conflictVersions() {
      let texts = try texts(await store.contents(ofConflict: version.id))
      sight.conflicts[version.id] = version.isWhole ? texts : ["missing": "\(version.missing)"]
    }
    let report = try await store.verify()
    if !report.isWhole { sight.problems = report.lines }
    sight.policy = try await store.retentionPolicy()
    try await store.close()
    return sight
  }

  private static func texts(_ tree: FileWrapper, _ prefix: String = "") throws -> Texts {
    var texts: Texts = [:]
    for (name, child) in try tree.children() where name != "Metadata.plist" {
      if child.isDirectory {
        texts.merge(try Self.texts(child, prefix + name + "/")) { $1 }
      } else {
        texts[prefix + name] = text(of: try child.contents())
      }
    }
    return texts
  }

  /// A short text stands for itself, other bytes for their size and digest.
  private static func text(of bytes: Data) -> String {
    if bytes.count < 80, let text = String(data: bytes, encoding: .utf8) { return text }
    var hash = SHA256()
    hash.update(Array(bytes))
    return "\(bytes.count) bytes, \(Data(hash.finalize().bytes.prefix(6)).base64EncodedString())"
  }
}
