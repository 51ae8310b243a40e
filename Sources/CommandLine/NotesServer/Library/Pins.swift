import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The documents that a user pinned to the top of the library, in a file beside the folder's key.
struct Pins: Sendable {
  private var ids: Set<DocumentID>
  private let file: FilePath?

  /// Reads the pins; without a file, or with one that cannot be read, no document is pinned.
  ///
  /// - Parameter file: nil for pins of this run alone.
  init(_ file: FilePath?) {
    self.file = file
    let words = file.flatMap { try? String(contentsOfFile: $0.string, encoding: .utf8) } ?? ""
    ids = Set(words.split(separator: "\n").compactMap { DocumentID(String($0)) })
  }

  func contains(_ id: DocumentID) -> Bool { ids.contains(id) }

  /// Pins a document, or takes the pin away.
  mutating func set(_ id: DocumentID, _ isPinned: Bool) throws {
    let before = ids
    if isPinned { ids.insert(id) } else { ids.remove(id) }
    if ids != before { try store() }
  }

  /// A pinned document has another name or place.
  mutating func move(_ old: DocumentID, to new: DocumentID) throws {
    guard old != new, ids.remove(old) != nil else { return }
    ids.insert(new)
    try store()
  }

  /// Writes the file beside its place, and exchanges it.
  private func store() throws {
    guard let file, let name = file.lastComponent.map({ FileName($0.string) }) else { return }
    let disk = PosixDisk()
    let path = file.removingLastComponent()
    try disk.makeFolders(at: path)
    let folder = try disk.openDirectory(at: path)
    let new = FileName(".\(name.string).new")
    // A new file of a run that was killed.
    if try disk.statusIfPresent(of: new, in: folder) != nil { try disk.removeFile(new, in: folder) }
    let made = try disk.createFile(new, in: folder, mode: 0o600)
    try disk.write(Array(ids.map(\.word).sorted().joined(separator: "\n").utf8), to: made, at: 0)
    try disk.synchronizeData(made)
    try disk.rename(new, in: folder, to: name, in: folder, .replace)
  }
}
