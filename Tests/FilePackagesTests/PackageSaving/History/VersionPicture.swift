import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// The content of a version: names, kinds, bytes, destinations, modes, and the dates of files.
struct VersionPicture: Picture, Hashable, Sendable, CustomStringConvertible {
  struct Entry: Hashable, Sendable {
    var kind: FileKind
    var bytes: [UInt8] = []
    var mode: UInt = 0
    var modified: Date?
  }

  var entries: [String: Entry] = [:]

  init(_ tree: FileWrapper) throws { try add(tree, "") }

  /// Reads the document on disk.
  init(_ path: FilePath = CrashCheck.path, on disk: any Disk) async throws {
    let store = try await PackageStore.open(path, on: disk)
    self = try await VersionPicture(store.tree)
  }

  private mutating func add(_ folder: FileWrapper, _ prefix: String) throws {
    for (name, child) in try folder.children() where prefix != "" || name != "Metadata.plist" {
      let path = prefix + name
      var entry = Entry(kind: child.kind)
      let mode = child.fileAttributes[FileAttributeKey.posixPermissions.rawValue]
      if child.kind != .symbolicLink { entry.mode = (mode as? UInt) ?? .max }
      switch child.kind {
      case .file:
        entry.bytes = Array(try child.contents())
        entry.modified = child.fileAttributes[FileAttributeKey.modificationDate.rawValue] as? Date
      case .symbolicLink: entry.bytes = Array((child.symbolicLinkDestinationURL?.relativePath ?? "?").utf8)
      default: try add(child, path + "/")
      }
      entries[path] = entry
    }
  }

  var description: String {
    entries.sorted { $0.key < $1.key }.map { path, entry in
      "\(path): \(entry.kind) \(String(entry.mode, radix: 8)) \(String(decoding: entry.bytes, as: UTF8.self)) "
        + "\(entry.modified.map { "\($0.timeIntervalSince1970)" } ?? "")"
    }.joined(separator: "\n")
  }
}

/// The states of a document, as found on disk after each save.
struct VersionModel: Sendable {
  private(set) var states: [(revision: UUID, picture: VersionPicture)] = []

  init() {}

  init(_ store: PackageStore, on disk: any Disk) async throws { try await note(store, on: disk) }

  /// Records the current state if it is new.
  mutating func note(
    _ store: PackageStore, on disk: any Disk, at path: FilePath = CrashCheck.path
  ) async throws {
    try await store.publish()
    guard let revision = try await store.metadata()?.revision, states.last?.revision != revision else {
      return
    }
    states.append((revision, try await VersionPicture(path, on: disk)))
  }

  /// Returns the versions that differ from their saved state, and the missing ones.
  ///
  /// Without `all`, there may be other versions as well. The versions in `mayMiss` may be missing.
  func problems(_ store: PackageStore, all: Bool = true, mayMiss: Set<UUID> = []) async throws -> [String] {
    let versions = try await store.versions()
    guard let current = try await store.metadata()?.revision,
      let last = states.lastIndex(where: { $0.revision == current })
    else { return ["the present state is none that was saved"] }
    let expected = states[..<last].map(\.revision).reversed().filter { !mayMiss.contains($0) }
    let found = versions.map(\.persistentIdentifier).filter { !mayMiss.contains($0) }
    var problems: [String] = []
    if all ? found != expected : found.filter(expected.contains) != expected {
      problems.append("versions \(found), expected \(expected)")
    }
    for version in versions {
      guard let state = states.first(where: { $0.revision == version.persistentIdentifier }) else { continue }
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      let picture = try VersionPicture(tree)
      if !lost.isEmpty { problems.append("generation \(version.metadata.generation): lost \(lost)") }
      if picture != state.picture {
        problems.append(
          "generation \(version.metadata.generation):\n\(state.picture.differences(in: picture))")
      }
    }
    return problems
  }
}

extension Edit {
  /// Returns a random edit of a document.
  static func random(
    _ number: Int, of picture: VersionPicture, using generator: inout SeededGenerator
  ) -> Edit {
    let folders = picture.entries.filter { $0.value.kind == .directory }.keys.sorted()
    let others = picture.entries.filter { $0.value.kind != .directory }.keys.sorted()
    let all = picture.entries.keys.sorted()
    let folder = Bool.random(using: &generator) ? folders.randomElement(using: &generator) : nil
    let place = folder.map { "\($0)/" } ?? ""
    let new = Edit.put("\(place)n\(number)", "new \(number)")
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1: return others.randomElement(using: &generator).map { .put($0, "text \(number)") } ?? new
    case 2: return new
    case 3: return all.randomElement(using: &generator).map { .remove($0) } ?? new
    case 4: return .folder("\(place)f\(number)")
    case 5: return .link("\(place)l\(number)", to: "nowhere \(number)")
    case 6:
      return picture.entries.keys.sorted().filter { picture.entries[$0]?.kind != .symbolicLink }
        .randomElement(using: &generator).map { .mode($0, number % 2 == 0 ? 0o755 : 0o700) } ?? new
    case 7:
      // A folder replaces a file, or a file replaces a folder.
      return all.randomElement(using: &generator).map {
        picture.entries[$0]?.kind == .directory ? .put($0, "was a folder") : .put($0, "again \(number)")
      } ?? new
    default:
      guard let path = all.randomElement(using: &generator), !"\(place)".hasPrefix(path + "/") else {
        return new
      }
      return .move(path, "\(place)m\(number)")
    }
  }
}
