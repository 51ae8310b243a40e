import DurableIO
public import FilePackages
public import FoundationEssentials
import SystemPackage

/// A folder that holds documents, on this machine, mounted, or synchronised by another program.
///
/// Within a file system, a document moves by a rename. To another one, it moves by a copy, which is synced and
/// compared, and then a removal. If a move is cut short, the document is whole in one of the two places. It may be in
/// both until the next move.
public struct FolderLocation: StorageLocation {
  /// The folder. If it is missing, the first `moveIn(_:as:)` makes it.
  public let url: URL
  /// The types of the location's documents; empty for all types.
  public let contentTypes: [UTType]
  private let disk: any Disk = PosixDisk()

  /// Makes a location of the documents of these types in a folder.
  public init(_ url: URL, for contentTypes: [UTType] = []) {
    (self.url, self.contentTypes) = (url, contentTypes)
  }

  /// The folder's name.
  public var displayName: String { url.lastPathComponent }

  /// The folder.
  public var folderURL: URL? { url }

  /// A search of the documents, for a query that also reports changes.
  public var search: DocumentSearch { DocumentSearch(in: [url], for: contentTypes, sortedBy: .name) }

  /// Lists the documents in the folder and in those below it; a missing folder has none.
  public func documents() async throws -> StorageListing {
    let (items, problems) = await search.documents()
    let root = FilePath(lossless: url.path).lexicallyNormalized()
    let documents = items.map { item in
      var path = item.folder.path
      // The path of a document in the folder begins with the folder's path.
      _ = path.removePrefix(root)
      let name = path.isEmpty ? item.filename : path.appending(item.name).string
      return StoredDocument(item, name: String(name.drop { $0 == "/" }))
    }
    return StorageListing(
      documents: documents.sorted { $0.name < $1.name },
      problems: problems.map(\.error).filter { $0.code != .noSuchFile })
  }

  /// Returns the facts about one document; nil if there is none of that name.
  ///
  /// - Throws: `invalidName`; `permissionDenied` and other errors of the file system.
  public func document(named name: String) async throws -> StoredDocument? {
    let place = try place(name)
    return try await BlockingThread().run { () throws in
      do throws(SystemError) {
        guard let (status, type) = try place.look() else { return nil }
        return StoredDocument(
          name: name, contentType: type, modificationDate: status.modified.date,
          creationDate: status.born?.date, size: status.kind == .file ? status.size : nil)
      } catch {
        throw FilePackageError(error, .read, place.node)
      }
    }
  }

  /// Returns the URL of the document, if it is there.
  public func localURL(of name: String) async throws -> URL? {
    guard try await document(named: name) != nil else { return nil }
    return try url(of: name)
  }

  /// Returns the URL that a document of that name has, or would have.
  ///
  /// - Throws: `invalidName` if the name leads out of the folder.
  public func url(of name: String) throws(FilePackageError) -> URL {
    let place = try place(name)
    return URL(filePath: place.path.string, directoryHint: .notDirectory)
  }

  /// Moves a document into the folder.
  public func moveIn(_ document: URL, as name: String) async throws -> String {
    let place = try place(name)
    let source = try FilePath(of: document, for: .move)
    return try await BlockingThread().run { () throws(FilePackageError) in
      try place.makeFolder()
      let new = try DocumentMove(source, to: place.folder, on: place.disk).move(as: place.name)
      return (place.folders + [new]).map(\.string).joined(separator: "/")
    }
  }

  /// Moves a document out of the folder.
  public func moveOut(_ name: String, to folder: URL, as newName: String) async throws -> URL {
    let target = FolderLocation(folder)
    return try target.url(of: await target.moveIn(url(of: name), as: newName))
  }

  /// Removes a document. The document gets a durable hidden name before any part of it is removed.
  ///
  /// - Throws: `noSuchFile`; the error of the file system. The document is then whole, or the rest of it has the hidden
  ///   name.
  public func delete(_ name: String) async throws {
    let place = try place(name)
    try await BlockingThread().run { () throws(FilePackageError) in try place.delete() }
  }

  private func place(_ name: String) throws(FilePackageError) -> StoredPlace {
    let names = name.split(separator: "/", omittingEmptySubsequences: false).map { FileName(String($0)) }
    guard names.allSatisfy({ $0.problem == nil }), let last = names.last else {
      throw FilePackageError(.invalidName, .open, document: name)
    }
    let root = try FilePath(of: url, for: .open)
    return StoredPlace(root: root, folders: names.dropLast(), name: last, disk: disk)
  }
}

/// The place of a document in a folder or in one below it.
private struct StoredPlace: Sendable {
  let root: FilePath
  let folders: [FileName]
  let name: FileName
  let disk: any Disk

  var folder: FilePath { folders.reduce(root) { $0.appending($1) } }
  var path: FilePath { folder.appending(name) }
  var node: StoredNode { StoredNode(location: Location(path, on: disk), path: .root) }

  /// Makes the missing folders durably.
  func makeFolder() throws(FilePackageError) {
    do throws(SystemError) {
      try disk.makeFolders(at: folder)
    } catch {
      throw FilePackageError(error, .move, node, activity: "making its folder")
    }
  }

  /// Returns the facts of the document; nil if there is none, or if a plain folder has its name.
  func look() throws(SystemError) -> (status: FileStatus, type: UTType)? {
    do throws(SystemError) {
      let folder = try disk.openDirectory(at: folder)
      let status = try disk.status(of: name, in: folder)
      let type = UTType(filename: name.string, isDirectory: status.kind == .directory)
      guard status.kind == .directory else { return status.kind == .file ? (status, type) : nil }
      if type.isPackageOrBundle { return (status, type) }
      // A hidden folder alone is a leftover in a plain folder.
      if try FolderSigns.showPackage(name, in: folder, on: disk) { return (status, .package) }
      let isOwn = try FolderSigns.areOfOwnPackage(disk.openDirectory(name, in: folder), on: disk)
      return isOwn ? (status, .package) : nil
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
  }

  func delete() throws(FilePackageError) {
    do throws(SystemError) {
      guard try look() != nil else {
        throw SystemError("renameat2", name, code: .noSuchFileOrDirectory)
      }
      let folder = OpenNode(try disk.openDirectory(at: folder))
      try NewPlace(name, in: folder, on: disk).removeDocument()
    } catch {
      throw FilePackageError(error, .delete, node)
    }
  }
}

extension StoredDocument {
  init(_ item: DocumentItem, name: String) {
    self.init(
      name: name, contentType: item.contentType, modificationDate: item.modificationDate,
      creationDate: item.creationDate, size: item.size)
  }
}
