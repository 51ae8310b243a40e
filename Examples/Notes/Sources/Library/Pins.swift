import Foundation

/// The documents that a user pinned to the top of the library, in a file beside the folder's key.
struct Pins: Sendable {
  private var ids: Set<DocumentID>
  private let file: PrivateFile?

  /// Reads the pins; without a file, no document is pinned.
  ///
  /// - Parameter file: nil for pins of this run alone.
  init(_ file: PrivateFile?) throws {
    self.file = file
    let words = try file?.read() ?? ""
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

  private func store() throws { try file?.replace(ids.map(\.word).sorted().joined(separator: "\n")) }
}
