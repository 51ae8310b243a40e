import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The files of a package by their digests: new large files until they are published, and old ones that undoing needs.
///
/// They are in `.docpkg/objects`. A file gets its name there after it is durable.
struct ContentObjects: Sendable {
  static let folder: FileName = "objects"
  static let folderPath = PackagePath([PackageLayout.hidden, folder])
  static let contentFolder: FileName = "AdditionalContent"
  /// The size from which a file's bytes are in a file of their own, and not in a row.
  static let largeSize = 256 << 10

  let location: Location
  private var disk: any Disk { location.disk }

  init(_ location: Location) { self.location = location }

  static func name(_ digest: Data) -> FileName { FileName(digest.hexadecimal) }

  /// Returns the path of a file in the package, for reports.
  static func visiblePath(_ path: ContentPath) -> String { "\(contentFolder.string)/\(path.path.display)" }

  /// Reads the digest in a name; nil for any other name.
  static func digest(_ name: FileName) -> Data? {
    guard name.bytes.count == 64 else { return nil }
    return name.bytes.hexadecimalDecoded.map { Data($0) }
  }

  // MARK: Writing

  /// Makes a file durable under its digest.
  ///
  /// - Parameter chunks: gives the bytes, piece by piece, and then nil.
  func add(_ chunks: (borrowing OwnedDescriptor) throws -> (digest: Data, size: Int)) throws -> (Data, Int) {
    let hidden = try location.openDirectory(PackagePath([PackageLayout.hidden]))
    if try disk.makeDirectoryIfAbsent(Self.folder, in: hidden) { try disk.synchronize(hidden) }
    let folder = try disk.openDirectory(Self.folder, in: hidden)
    let staged = FileName("new-\(UUID().uuidString.lowercased())")
    do {
      let file = try disk.createFile(staged, in: folder, mode: 0o666)
      let (digest, size) = try chunks(file)
      try disk.synchronize(file)
      if try has(digest, in: folder) {
        // A copy may be reading the file, which has the same bytes.
        try disk.removeFile(staged, in: folder)
      } else {
        try disk.rename(staged, in: folder, to: Self.name(digest), in: folder, .replace)
      }
      try disk.synchronize(folder)
      return (digest, size)
    } catch {
      // The error counts, not the remains: the next cleaning removes them.
      disk.removeEverything(staged, from: folder)
      throw error
    }
  }

  /// Returns whether there is a file of a digest to which no other name leads, so that no other program writes to it.
  private func has(_ digest: Data, in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    let status = try disk.statusIfPresent(of: Self.name(digest), in: folder)
    return status?.kind == .file && status?.links == 1
  }

  // MARK: Reading

  /// Opens the file of a digest; nil if there is none.
  func open(_ digest: Data) throws(SystemError) -> OwnedDescriptor? {
    do {
      let file = try disk.openFile(Self.name(digest), in: location.openDirectory(Self.folderPath))
      // Another program may have written to the file under its visible name.
      if try disk.status(of: file).links > 1, try self.digest(of: file) != digest { return nil }
      return file
    } catch  where error.isAbsence {
      return nil
    }
  }

  /// Opens the file under its visible name; nil if there is none.
  func openVisible(_ path: PackagePath) throws(SystemError) -> OwnedDescriptor? {
    guard let name = path.name else { return nil }
    do {
      return try disk.openFile(name, in: location.openDirectory(path.parent.inContentFolder))
    } catch  where error.isAbsence || error.code == .invalidArgument {
      return nil
    }
  }

  func status(of file: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus {
    try disk.status(of: file)
  }

  func readAll(_ file: borrowing OwnedDescriptor) throws(SystemError) -> Data {
    Data(try disk.readAll(file, atMost: .max))
  }

  func digest(of file: borrowing OwnedDescriptor) throws(SystemError) -> Data {
    Data(try disk.contentHash(of: file).bytes)
  }

  // MARK: Errors

  /// Makes the error of a call on the file at `path`.
  func problem(
    _ code: FilePackageError.Code, _ operation: FilePackageError.Operation, _ path: String,
    reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(
      code, operation, document: FileName(location.path).string,
      child: "\(Self.contentFolder.string)/\(displayString(path))", reason: reason)
  }

  // MARK: Cleaning

  /// Removes the files whose digests are not needed, and the remains of edits that failed.
  ///
  /// No edit may run meanwhile.
  func removeAll(except isNeeded: (FileName) throws -> Bool) throws {
    let hidden = try location.openDirectory(PackagePath([PackageLayout.hidden]))
    guard try disk.exists(Self.folder, in: hidden) else { return }
    let folder = try disk.openDirectory(Self.folder, in: hidden)
    let listing = try disk.list(folder)
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      if try !isNeeded(name) { disk.removeEverything(name, from: folder) }
    }
  }

  /// Removes the folder, unless undoing needs a file in it.
  func removeFolderIfEmpty() throws(SystemError) {
    let hidden = try location.openDirectory(PackagePath([PackageLayout.hidden]))
    guard try disk.exists(Self.folder, in: hidden) else { return }
    if try disk.list(disk.openDirectory(Self.folder, in: hidden)).count > 0 { return }
    try disk.removeDirectory(Self.folder, in: hidden)
  }
}
