import DurableIO
import PackageFormat
import Synchronization

/// A place at which two versions of a document differ.
public struct VersionDifference: Sendable {
  /// The path of the place.
  public let path: String
  /// The node in the first version; nil if there is none.
  public let old: FileWrapper?
  /// The node in the second version; nil if there is none.
  public let new: FileWrapper?

  package init(path: String, old: FileWrapper?, new: FileWrapper?) {
    self.path = path
    self.old = old
    self.new = new
  }

  /// The kind of a difference.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case added, removed, changed
  }

  /// The kind of the difference.
  public var kind: Kind { old == nil ? .added : new == nil ? .removed : .changed }
}

extension VersionDifference: CustomStringConvertible {
  /// One line, such as `Text.txt: changed`; the document's own folder is `.`.
  public var description: String { "\(path.isEmpty ? "." : displayString(path)): \(kind.rawValue)" }
}

extension FileWrapper {
  /// The permission bits.
  public var permissions: UInt16 { state.withLock { $0.attributes.mode } }

  /// Returns the differences between this tree and the tree of another package, in order of paths.
  ///
  /// A folder comes before its children. The comparison skips the metadata of both packages, which always differ.
  ///
  /// Cost: reads the bytes of files that both trees hold at the same size.
  ///
  /// - Throws: `tooDeep`; the system's error.
  public func differences(to other: FileWrapper) throws -> [VersionDifference] {
    var changes: [VersionDifference] = []
    try Self.compare(self, other, at: .root) { changes.append($0) }
    return changes
  }

  private static func compare(
    _ old: FileWrapper?, _ new: FileWrapper?, at path: PackagePath, _ body: (VersionDifference) -> Void
  ) throws {
    if !path.isRoot, try !isSame(old, new) {
      body(VersionDifference(path: path.string, old: old, new: new))
    }
    let (first, second) = (try old?.childrenByName() ?? [:], try new?.childrenByName() ?? [:])
    for name in Set(first.keys).union(second.keys).sorted() {
      let place = path.appending(name)
      if place == PackagePath([PackageLayout.metadata]) { continue }
      if place.names.count > PackagePath.maximumDepth {
        throw FilePackageError(.tooDeep, .read, document: place.string)
      }
      try compare(first[name], second[name], at: place, body)
    }
  }

  private func childrenByName() throws -> [FileName: FileWrapper] {
    guard isDirectory else { return [:] }
    var children: [FileName: FileWrapper] = [:]
    for (key, child) in try self.children() { children[FileName(child.filename ?? key)] = child }
    return children
  }

  /// Returns whether both have the same kind, permissions and content, or both are nil; ignores the children of
  /// folders.
  package static func isSame(_ old: FileWrapper?, _ new: FileWrapper?) throws -> Bool {
    guard let old, let new else { return old == nil && new == nil }
    guard old.kind == new.kind else { return false }
    if old.isSymbolicLink { return try old.linkDestination() == new.linkDestination() }
    guard old.permissions == new.permissions else { return false }
    return try old.isDirectory || old.hasSameContents(as: new)
  }
}
