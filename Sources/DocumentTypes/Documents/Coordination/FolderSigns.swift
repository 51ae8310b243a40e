package import DurableIO
import FilePackages
package import SystemPackage

/// The signs of a package that a folder's name and two names in it give, without a look at its other contents.
///
/// `FolderKind` decides with them, and coordination with them alone.
package struct FolderSigns {
  private let name: FileName?
  private let folder: OpenNode

  /// Looks at the folder at `path`; nil if no folder is there, or if this process cannot open it. Follows symbolic
  /// links.
  package init?(ofFolderAt path: FilePath) {
    guard let place = try? ItemPlace(path, following: true) else { return nil }
    self.init(place)
  }

  init?(_ place: ItemPlace) {
    guard place.isThere, let folder = try? PosixDisk().openDirectory(at: place.path) else { return nil }
    name = place.names.last
    self.folder = OpenNode(folder)
  }

  private init(_ name: FileName, _ folder: consuming OwnedDescriptor) {
    self.name = name
    self.folder = OpenNode(folder)
  }

  // If a name cannot be looked at, the other signs decide.
  private func has(_ name: FileName) -> Bool {
    (try? PosixDisk().exists(name, in: folder.descriptor)) ?? false
  }

  package var hasMetadata: Bool { has(PackageLayout.metadata) }

  package var hasExtension: Bool { name?.bytes.dropFirst().contains(UInt8(ascii: ".")) ?? false }

  /// Returns whether the folder is surely a package.
  ///
  /// An ordinary folder without an extension costs one call. A hidden folder alone is a leftover there.
  ///
  /// - Parameter packages: extensions of packages, beside those of known types.
  package func showPackage(_ packages: Set<String> = []) -> Bool { decide(packages, has) }

  /// Whether names in the folder show that it is a package, whatever its own name. Loads no types.
  var showMarks: Bool {
    has(PackageLayout.hidden) ? hasExtension || hasMetadata : hasExtension && hasMetadata
  }

  /// Returns whether a folder is surely a package, as `showPackage()`.
  ///
  /// - Throws: the system's error. A failed look decides nothing: a container that takes the files of a package for
  ///   documents keeps that.
  package static func showPackage(
    _ name: FileName, in parent: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    let signs = FolderSigns(name, try disk.openDirectory(name, in: parent))
    return try signs.decide([]) { name throws(SystemError) in
      try disk.exists(name, in: signs.folder.descriptor)
    }
  }

  private func decide<Failure: Error>(
    _ packages: Set<String>, _ has: (FileName) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let isHidden = try has(PackageLayout.hidden)
    guard hasExtension, let name else { return isHidden ? try has(PackageLayout.metadata) : false }
    if isHidden { return true }
    if try has(PackageLayout.metadata) { return true }
    return UTType(filename: name.string, isDirectory: true, packages: packages).isPackageOrBundle
  }

  /// Returns whether the folder at `path` is a document with a database: its metadata name one, or the usual place has
  /// one.
  ///
  /// A folder without `Metadata.plist` and without that place costs three calls.
  ///
  /// - Throws: the system's reason. A failed look decides nothing: a program that merges such a document as plain files
  ///   loses rows. No folder at `path` is no error.
  package static func showDatabase(inFolderAt path: FilePath) throws(FilePackageError) -> Bool {
    let disk = PosixDisk()
    // The bytes with which a database of SQLite begins.
    let beginning = Array("SQLite format 3\0".utf8)
    do {
      let folder = try disk.openDirectory(at: path)
      if try PackageMetadata.readIfOwn(in: folder, on: disk)?.databasePath != nil { return true }
      let store = try disk.openDirectory(PackageLayout.storeFolder, in: folder)
      let file = try disk.openFile(PackageLayout.usualStore, in: store)
      return try disk.readAll(file, atMost: beginning.count) == beginning
    } catch {
      // A node that is no regular file is an invalid argument.
      if error.isAbsence || error.code == .invalidArgument { return false }
      throw FilePackageError(error, .open, StoredNode(location: Location(path, on: disk), path: .root))
    }
  }

  /// Whether the folder has a `Metadata.plist` of this library.
  package var hasOwnMetadata: Bool {
    (try? PackageMetadata.isOwn(in: folder.descriptor, on: PosixDisk())) ?? false
  }

  /// Returns whether a folder is a package of this library, whatever its name: it has a `Metadata.plist`, and either the
  /// hidden folder beside it, or this library's keys in it.
  ///
  /// A folder without `Metadata.plist` costs one call.
  ///
  /// - Throws: the system's error; also if the plist cannot be read.
  static func areOfOwnPackage(
    _ folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    guard try disk.statusIfPresent(of: PackageLayout.metadata, in: folder)?.kind == .file else {
      return false
    }
    if try disk.statusIfPresent(of: PackageLayout.hidden, in: folder)?.kind == .directory { return true }
    do {
      return try PackageMetadata.isOwn(in: folder, on: disk)
    } catch {
      if error.isAbsence { return false }
      throw error
    }
  }
}
