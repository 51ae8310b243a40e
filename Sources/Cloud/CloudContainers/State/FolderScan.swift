import Documents
package import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// A document that is in the container folder.
package struct LocalDocument: Sendable, Hashable {
  /// Its name in the container: a path with slashes.
  package var name: String
  /// Whether it is a directory.
  package var isPackage: Bool
  /// The file or directory.
  package var node: DocumentNodeID
  /// The number of its device at the moment.
  package var device: UInt64

  init(_ name: String, _ status: FileStatus) {
    (self.name, isPackage, node) = (name, status.kind == .directory, DocumentNodeID(status))
    device = status.identity.device
  }
}

/// The documents in a container folder, as one look at it finds them.
package struct FolderScan: Sendable {
  /// The documents, by name.
  package private(set) var documents: [String: LocalDocument] = [:]
  /// The folders that could not be read, by their names with a slash at the end, with the reasons. A document that is
  /// missing in such a folder may be there.
  package private(set) var unreadable: [(prefix: String, error: SystemError)] = []

  /// The items that a user may take for documents, and that no container can have: a line for each, with the reason.
  package private(set) var leftOut: [String] = []
  /// The number of items that the rules of the folder ignore. An ignored folder is one item.
  package private(set) var ignored = 0
  private let known: KnownItems
  /// The files of documents that have names to ignore now.
  private var moved: [String: FileStatus] = [:]

  /// Looks at a folder.
  ///
  /// - Throws: the system's error if the folder itself cannot be read.
  package init(_ folder: ContainerFolder, knowing known: KnownItems) throws(SystemError) {
    self.known = known
    let root = Folder(path: folder.path, prefix: "", depth: 1, isIgnored: false)
    try scan(folder.disk.openDirectory(at: folder.path), root, folder.disk)
    for (name, status) in moved {
      // An editor may rename a file to its backup, and write a new one: the document is where its name is.
      if let before = known.name(of: DocumentNodeID(status)), documents[before] != nil {
        ignored += 1
      } else {
        add(name, status)
      }
    }
    moved = [:]
  }

  /// Returns whether a document of that name may be there without having been found.
  package func mayHide(_ name: String) -> Bool { unreadable.contains { name.hasPrefix($0.prefix) } }

  /// A folder in the container folder, or that folder itself.
  private struct Folder {
    let path: FilePath
    /// The beginning of the names of its items.
    let prefix: String
    let depth: Int
    /// Whether the rules ignore it. Only documents of the container are looked for in it then.
    let isIgnored: Bool
  }

  private mutating func scan(
    _ folder: borrowing OwnedDescriptor, _ place: Folder, _ disk: any Disk
  ) throws(SystemError) {
    let (path, depth) = (place.path, place.depth)
    let listing = try disk.list(folder)
    for position in listing.sortedPositions() {
      let name = listing.name(at: position)
      let full = place.prefix + name.string
      let kind = listing.kind(at: position)
      let isIgnored = place.isIgnored || known.ignore(full, isDirectory: kind == .directory)
      if isIgnored, !known.isInContainer(full) {
        let status = try disk.statusIfPresent(of: name, in: folder)
        guard let status, known.name(of: DocumentNodeID(status)) != nil else {
          if !name.isHidden { ignored += 1 }
          continue
        }
        if kind == .file {
          if DocumentName.isValid(full) { moved[full] = status }
          continue
        }
      }
      if let reason = Self.reason(against: full, name, kind, path.appending(name)) {
        leftOut.append("\(displayString(full)): \(reason)")
        continue
      }
      guard kind == .file || kind == .directory, DocumentName.isValid(full) else { continue }
      guard let status = try disk.statusIfPresent(of: name, in: folder) else { continue }
      switch status.kind {
      case .file: add(full, status)
      case .directory:
        let inner = Folder(
          path: path.appending(name), prefix: full + "/", depth: depth + 1, isIgnored: isIgnored)
        do throws(SystemError) {
          var isPackage = known.isPackage(full, DocumentNodeID(status))
          if isPackage == nil { isPackage = try FolderSigns.showPackage(name, in: folder, on: disk) }
          if isPackage == true {
            add(full, status)
          } else if depth < DocumentName.maximumDepth {
            try scan(disk.openDirectory(name, in: folder), inner, disk)
          }
        } catch {
          if !error.isAbsence { unreadable.append((inner.prefix, error)) }
        }
      default: break
      }
    }
  }

  /// Returns the reason why an item is left out that a user may take for a document; nil for any other item.
  private static func reason(
    against full: String, _ name: FileName, _ kind: FileKind, _ path: FilePath
  ) -> String? {
    if name.isHidden {
      let isOwn =
        name == PackageLayout.containerFolder || name.bytes.starts(with: PackageLayout.siblingPrefix)
      return !isOwn && kind == .directory && FolderSigns(ofFolderAt: path)?.showPackage() == true
        ? "its name begins with a dot" : nil
    }
    switch kind {
    case .file, .directory: return DocumentName.isValid(full) ? nil : "its name is not valid on every machine"
    case .symbolicLink: return "it is a link"
    default: return "it is no file"
    }
  }

  private mutating func add(_ name: String, _ status: FileStatus) {
    let document = LocalDocument(name, status)
    guard let other = documents[name] else { return documents[name] = document }
    // Two spellings of one name, which are equal as strings. The document that the container has keeps it.
    let isKnown = known.name(of: document.node) != nil
    documents[name] = isKnown ? document : other
    leftOut.append(
      "\(displayString(isKnown ? other.name : name)): its name differs from another one only in the encoding")
  }
}
