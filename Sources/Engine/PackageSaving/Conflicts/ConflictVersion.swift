package import DurableIO
public import FoundationEssentials
public import PackageFormat

/// A file that has children of a conflict version, as it was when the version was found.
package struct ConflictFile: Sendable, Hashable {
  package var path: PackagePath
  package var size: UInt64
  package var modified: FileTime

  package init(path: PackagePath, size: UInt64, modified: FileTime) {
    (self.path, self.size, self.modified) = (path, size, modified)
  }
}

/// A version of a document by another program or computer, in a conflict that no user has resolved yet.
///
/// There are two kinds. A save found a file of another program in the place of its own file, and set it aside. Or a
/// synchronising program brought files from another computer that had changed the document as well. Such a program
/// knows only single files, and makes conflict copies of some of them. From the digests that each save notes, the
/// library assembles whole versions.
public struct ConflictVersion: Sendable, Hashable, Identifiable {
  /// The cause of the version.
  public enum Origin: Sendable, Hashable, Codable {
    /// Another program wrote it into the open document, and a save or the document set it aside.
    case otherProgram
    /// A synchronising program brought it from another computer; the program's name as far as it is known.
    case synchronization(by: String)
  }

  /// The identifier of the version: its revision if that is known.
  public let id: UUID
  /// The cause of the version.
  public let origin: Origin
  /// The document's metadata in that version; nil if only some children are known.
  public let metadata: PackageMetadata?
  /// The computer that saved it, if that is known.
  public let savingComputer: String?
  /// The date of its save, or the date when it was set aside.
  public let modificationDate: Date?
  /// The children that differ from the document on disk, as paths in byte order.
  public let differences: [String]
  /// The children whose content in this version is lost: the version is not whole without them.
  public let missing: [String]
  /// Whether the version is known to be exactly one saved state.
  ///
  /// It is also false if only some children are known. The other children are then those of the document on disk.
  public let isWhole: Bool
  /// The files that a decision about the version removes.
  package let files: Set<ConflictFile>
}

extension ConflictVersion {
  /// Makes the version of a flat file that another program wrote.
  ///
  /// - Parameter copy: the file that has the version.
  package init(ofFlatFile id: UUID, named name: String, _ copy: ConflictFile) {
    self.init(
      id: id, origin: .otherProgram, metadata: nil, savingComputer: nil, modificationDate: copy.modified.date,
      differences: [name], missing: [], isWhole: true, files: [copy])
  }
}

extension [ConflictVersion] {
  /// A text that changes when a version arrives or goes, or has other files.
  public var look: String {
    let files = flatMap { version in
      version.files.map { "\(version.id) \($0.path.string) \($0.size) \($0.modified)" }
    }
    let text = (map(\.id.uuidString) + files).sorted().joined(separator: "\n")
    return ContentHash(of: [UInt8](text.utf8)).bytes.hexadecimal
  }
}

extension ConflictVersion: CustomStringConvertible {
  /// One line, such as `1B4E28BA  2026-05-01 12:00:00  laptop  left by Syncthing, whole  Text.txt`.
  public var description: String {
    let date = modificationDate.map(localTime) ?? "at an unknown time"
    let computer = savingComputer.flatMap { $0.isEmpty ? nil : "  " + displayString($0) } ?? ""
    let names = differences.isEmpty ? "" : "  " + Self.list(differences)
    return "\(id.uuidString.prefix(8))  \(date)\(computer)  \(origin), \(state)\(names)"
  }

  private var state: String {
    if isWhole { return "whole" }
    return missing.isEmpty ? "some children" : "\(missing.count) missing: \(Self.list(missing))"
  }

  private static func list(_ names: [String]) -> String {
    names.count <= 4
      ? names.map(displayString).joined(separator: ", ")
      : names.prefix(3).map(displayString).joined(separator: ", ") + " and \(names.count - 3) more"
  }
}

extension ConflictVersion.Origin: CustomStringConvertible {
  /// The cause in words.
  public var description: String {
    switch self {
    case .otherProgram: "written by another program"
    case .synchronization(let program): "left by \(program)"
    }
  }
}
