import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

/// The user's trash of the desktop (freedesktop.org's Trash specification 1.0), to which a program moves documents that
/// its user deletes.
///
/// A file manager shows them, restores them and empties the trash. Within a file system, a document moves by a rename.
/// To another one, it moves by a copy, as in `FolderLocation`.
public struct TrashLocation: Sendable {
  /// The folder of the trash, with `files` and `info` in it.
  public let url: URL

  /// A document in the trash.
  public struct Entry: Sendable, Hashable {
    /// Its name in the trash.
    public let name: String
    /// The place that it had.
    public let originalURL: URL
    /// The time of its removal.
    public let deletionDate: Date
  }

  /// Makes a location of the trash in a folder; by default that of the user: `Trash` in `$XDG_DATA_HOME`, which is
  /// `~/.local/share` by default.
  ///
  /// - Returns: nil if the environment names no home.
  public init?(_ url: URL? = nil) {
    guard let url = url ?? URL(inUserFolder: "XDG_DATA_HOME", or: ".local/share", "Trash") else { return nil }
    self.url = url
  }

  /// Finds the trash of a document that a file manager moved there: that of the user, or that of another file system.
  ///
  /// - Parameter original: the place that the document had.
  /// - Returns: nil if the document is in no trash.
  public static func holder(
    of document: URL, from original: URL
  ) -> (trash: TrashLocation, entry: Entry)? {
    let files = document.deletingLastPathComponent()
    let trash = files.deletingLastPathComponent()
    let name = trash.lastPathComponent
    let isTrash =
      name == "Trash" || name.hasPrefix(".Trash-")
      || trash.deletingLastPathComponent().lastPathComponent == ".Trash"
    let info = trash.appending(path: "info").path
    guard isTrash, files.lastPathComponent == "files", FileManager.default.fileExists(atPath: info) else {
      return nil
    }
    let entry = Entry(name: document.lastPathComponent, originalURL: original, deletionDate: Date())
    return TrashLocation(trash).map { ($0, entry) }
  }

  private var files: FolderLocation { FolderLocation(url.appending(path: "files")) }
  private var info: FilePath { FilePath(lossless: url.path).appending("info") }

  /// Moves a document to the trash.
  ///
  /// The note about its place is durable before the document moves. So a cut leaves no document without a note.
  ///
  /// - Throws: the error of writing the note; the errors of `FolderLocation.moveIn(_:as:)`.
  public func moveIn(_ document: URL) async throws -> Entry {
    let original = document.absoluteURL.standardized
    let date = Date()
    let note = """
      [Trash Info]
      Path=\(original.path.utf8.percentEncoded(keeping: "/"))
      DeletionDate=\(Self.stamp(date))

      """
    let name = try await noting(original) { [self] () throws(SystemError) in
      try write(note, FileName(original.lastPathComponent))
    }
    let moved: String
    do {
      moved = try await files.moveIn(original, as: name.string)
    } catch {
      // A note without a document does no harm; a document without a note would.
      try? await noting(original) { [self] () throws(SystemError) in try removeUnused(name) }
      throw error
    }
    if moved != name.string {
      // Another program took the name in `files`, without a note.
      try await noting(original) { [self] () throws(SystemError) in
        try PosixDisk().rename(
          Self.note(name), in: openInfo(), to: Self.note(FileName(moved)), in: openInfo(), .noReplace)
      }
    }
    return Entry(name: moved, originalURL: original, deletionDate: date)
  }

  /// Moves a document from the trash to the place that it had, or beside it if the name is taken.
  ///
  /// - Returns: its place.
  /// - Throws: the errors of `FolderLocation.moveOut(_:to:as:)`, such as `noSuchFile` if the trash was emptied.
  public func restore(_ entry: Entry) async throws -> URL {
    let place = try await files.moveOut(
      entry.name, to: entry.originalURL.deletingLastPathComponent(), as: entry.originalURL.lastPathComponent)
    do throws(SystemError) {
      try await BlockingThread().run { [self] () throws(SystemError) in
        try PosixDisk().removeFile(Self.note(FileName(entry.name)), in: openInfo())
      }
    } catch {
      // Another program removed the note, or does so when it empties the trash.
    }
    return place
  }

  private func noting<Result: Sendable>(
    _ original: URL, _ body: @escaping @Sendable () throws(SystemError) -> Result
  ) async throws(FilePackageError) -> Result {
    do throws(SystemError) {
      return try await BlockingThread().run(body)
    } catch {
      throw FilePackageError(
        FilePackageError.Code(error.code), .move, document: original.path,
        activity: "noting its place in the trash", reason: "\(error)")
    }
  }

  private static func note(_ name: FileName) -> FileName { FileName(name.string + ".trashinfo") }

  private func openInfo() throws(SystemError) -> OwnedDescriptor { try PosixDisk().openDirectory(at: info) }

  /// Writes a durable note, which reserves a name in the trash; returns the name.
  private func write(_ note: String, _ preferred: FileName) throws(SystemError) -> FileName {
    let disk = PosixDisk()
    try disk.makeFolders(at: info)
    let folder = try openInfo()
    var number = 1
    while true {
      let name = preferred.numbered(number)
      do throws(SystemError) {
        let file = try disk.createFile(Self.note(name), in: folder, mode: 0o600)
        try disk.write(Array(note.utf8), to: file, at: 0)
        try disk.synchronize(file)
        try disk.synchronize(folder)
        return name
      } catch {
        guard error.code == .fileExists else { throw error }
        number += 1
      }
    }
  }

  /// Removes a note, unless the trash has its document.
  private func removeUnused(_ name: FileName) throws(SystemError) {
    let disk = PosixDisk()
    let files = try disk.openDirectory(at: FilePath(lossless: url.path).appending("files"))
    if try !disk.exists(name, in: files) { try disk.removeFile(Self.note(name), in: openInfo()) }
  }

  /// The local time, as the specification asks.
  private static func stamp(_ date: Date) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: .current)
      .year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: false).timeSeparator(.colon)
    return date.formatted(style)
  }
}

extension TrashLocation.Entry: CustomStringConvertible {
  /// One line, such as `Trip.imageNotes, deleted 2026-11-21 20:14:09 from /Notes/Trip.imageNotes`.
  public var description: String {
    "\(displayString(name)), deleted \(localTime(deletionDate)) from \(displayString(originalURL.path))"
  }
}
