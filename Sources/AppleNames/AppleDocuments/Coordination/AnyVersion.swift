import Documents
import FilePackages
import Foundation
import Synchronization

/// A version of a document, with the file that has it if it is the conflict version of a flat file.
struct AnyVersion: Hashable, Sendable {
  let version: FileVersion
  /// Another program's state of a flat file, as a conflict copy beside it.
  var copy: ConflictCopy?

  /// Returns the conflict versions of a document, the newest first; nil if there is no document.
  static func conflicts(at url: URL, isFlat: Bool) throws -> [AnyVersion]? {
    if isFlat {
      return try ConflictCopy.all(of: url).map {
        AnyVersion(version: FileVersion($0.version, at: url), copy: $0)
      }
    }
    let versions = try waitBlocking { try await FileVersion.unresolvedConflictVersionsOfItem(at: url) }
    return versions?.map { AnyVersion(version: $0) }
  }

  /// Returns the contents. It waits for the disk.
  func tree() throws -> FileWrapper {
    try copy?.file() ?? waitBlocking { [version] in try await version.contents().tree }
  }
}

/// The copies of versions, which are there as long as the process.
enum VersionCopies {
  private static let copies = Mutex<[AnyVersion: WrittenFiles]>([:])

  /// Returns the URL of the version's copy, which is made if it is not there.
  static func url(of version: AnyVersion) -> URL {
    let name = version.version.documentURL.lastPathComponent
    if let files = copies.withLock({ $0[version] }) {
      return URL(fileURLWithPath: "\(files.path)/\(name)")
    }
    do {
      let tree = try version.tree()
      let files = try WrittenFiles.folder(beside: nil)
      try files.write(tree, as: name)
      let kept = copies.withLock { copies in
        if let other = copies[version] { return other }
        copies[version] = files
        return files
      }
      return URL(fileURLWithPath: "\(kept.path)/\(name)")
    } catch {
      // Apple's member has no error either: a reader finds nothing.
      return FileManager.default.temporaryDirectory
        .appendingPathComponent("NoVersion-\(version.version.persistentIdentifier)").appendingPathComponent(
          name)
    }
  }
}

/// The conflict versions that the program has resolved by `isResolved`.
enum ResolvedVersions {
  private static let versions = Mutex<Set<AnyVersion>>([])

  static func contains(_ version: AnyVersion) -> Bool { versions.withLock { $0.contains(version) } }

  /// Notes that a version is resolved, and ends the conflict with the last one.
  ///
  /// If the disk cannot be changed, the version stays unresolved.
  static func insert(_ version: AnyVersion) {
    versions.withLock { _ = $0.insert(version) }  // It may be in the set already.
    do {
      try end(version)
    } catch {
      versions.withLock { _ = $0.remove(version) }  // The setter has no error: `isResolved` is false.
    }
  }

  private static func end(_ version: AnyVersion) throws {
    let (url, isFlat) = (version.version.documentURL, version.copy != nil)
    let open = try AnyVersion.conflicts(at: url, isFlat: isFlat) ?? []
    guard open.allSatisfy({ contains($0) }) else { return }
    // The copies are for readers after the resolving, as on Apple's systems.
    for version in open { _ = VersionCopies.url(of: version) }
    for version in open { try version.copy?.remove() }
    if isFlat || open.isEmpty { return }
    // The versions as the program saw them: files that arrived since stay.
    let seen = versions.withLock { $0.filter(open.contains) }.compactMap(\.version.conflict)
    try waitBlocking {
      let store = try await PackageStore.open(at: url)
      try await store.resolveConflicts(seen, keeping: nil)
      try await store.close()
    }
  }
}
