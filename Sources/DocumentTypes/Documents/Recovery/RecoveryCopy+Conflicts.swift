import DurableIO
import FilePackages
package import FoundationEssentials
import SystemPackage

// The conflicts of a flat file, for a program that resolves them without its open document. Each method waits for the
// disk.
extension RecoveryCopy {
  /// The conflict version that the copy holds; nil for edits.
  package var conflictVersion: ConflictVersion? {
    guard kind == .conflict, let identifier else { return nil }
    return ConflictVersion(
      ofFlatFile: identifier, named: documentURL.lastPathComponent, modificationDate: modificationDate)
  }

  /// Returns the other programs' states of a flat file that was edited here, too, the newest first.
  package static func conflicts(ofFileAt url: URL, in folder: URL) throws -> [RecoveryCopy] {
    let store = RecoveryStore(folder: try FilePath(of: folder, for: .open), disk: PosixDisk())
    let path = url.standardized.path
    return try store.copies { $0.kind == .conflict && $0.document == path }.map(\.copy)
  }

  /// The name of the copy's folder; nil for a folder that this library has not named.
  package var identifier: UUID? { UUID(uuidString: url.deletingPathExtension().lastPathComponent) }

  /// Returns the file of a conflict.
  package func file() throws -> FileWrapper {
    try RecoveryStore(folder: FilePath(of: folder, for: .open), disk: PosixDisk()).changes(of: self)
      .onlyFile()
  }

  /// Removes the copy; does nothing if it is gone.
  package func remove() throws {
    try RecoveryStore(folder: FilePath(of: folder, for: .open), disk: PosixDisk()).remove(self)
  }

  private var folder: URL { url.deletingLastPathComponent() }
}
