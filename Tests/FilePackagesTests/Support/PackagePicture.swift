import DurableIO
import FilePackages
import SystemPackage
import TestSupport

/// The entries of a package or a version, by their places.
protocol Picture {
  associatedtype Entry: Equatable
  var entries: [String: Entry] { get }
}

extension Picture {
  /// Returns the differences, a line for each place.
  func differences(in found: Self) -> String {
    Set(entries.keys).union(found.entries.keys).sorted().compactMap { place in
      let (old, new) = (entries[place], found.entries[place])
      if old == new { return nil }
      return
        "\(place): expected \(old.map { "\($0)" } ?? "nothing"), found \(new.map { "\($0)" } ?? "nothing")"
    }.joined(separator: "\n")
  }
}

/// All properties of a directory and its children that a save may change: names, kinds, bytes, modes, dates.
struct PackagePicture: Picture, Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var kind: FileKind
    var mode: UInt16
    var modified: FileTime
    /// A file's bytes or a link's destination.
    var bytes: [UInt8] = []
    var extended: [String: [UInt8]] = [:]

    // The standard library hashes an array byte by byte, which took a tenth of the crash suites.
    func hash(into hasher: inout Hasher) {
      hasher.combine(kind)
      hasher.combine(modified)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  var entries: [String: Entry] = [:]

  init(of path: FilePath, on disk: any Disk) throws {
    try add(disk.openDirectory(at: path), at: "", on: disk)
  }

  private mutating func add(
    _ directory: borrowing OwnedDescriptor, at path: String, on disk: any Disk
  ) throws {
    let status = try disk.status(of: directory)
    entries[path.isEmpty ? "." : path] = Entry(
      kind: .directory, mode: status.mode, modified: status.modified,
      extended: try disk.extendedAttributes(of: directory))
    let listing = try disk.list(directory)
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      let place = path.isEmpty ? name.string : "\(path)/\(name.string)"
      let status = try disk.status(of: name, in: directory)
      var entry = Entry(kind: status.kind, mode: status.mode, modified: status.modified)
      switch status.kind {
      case .directory:
        try add(disk.openDirectory(name, in: directory), at: place, on: disk)
        continue
      case .file:
        let file = try disk.openFile(name, in: directory)
        entry.bytes = try disk.readAll(file)
        entry.extended = try disk.extendedAttributes(of: file)
      case .symbolicLink: entry.bytes = try disk.destination(of: name, in: directory)
      default: break
      }
      entries[place] = entry
    }
  }

  /// Returns the names of the differing entries, with the package's own directory as `.`.
  func changedNames(in found: PackagePicture) -> Set<String> {
    Set(entries.keys).union(found.entries.keys).filter { entries[$0] != found.entries[$0] }
  }
}

extension TestTree {
  /// Returns a tree with a package under `name`, for the root of a new disk.
  static func package(_ tree: TestTree, _ name: FileName = "Trip.pkg") -> TestTree { [name: tree] }
}

extension Disk {
  /// Returns the names of all entries of a directory, in order.
  func names(in path: FilePath) throws -> [String] {
    let listing = try list(openDirectory(at: path))
    return (0..<listing.count).map { listing.name(at: $0).string }.sorted()
  }
}
