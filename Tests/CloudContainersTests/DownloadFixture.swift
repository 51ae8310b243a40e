import Documents
import DurableIO
import Foundation
import SystemPackage
import TestSupport

import CloudContainers

/// Documents in a container as literals, and downloads of them.
enum DownloadFixture {
  static let type = UTType(exportedAs: "com.example.trip")

  /// Stores a document.
  ///
  /// - Parameter values: the application's values in the metadata; nil for another program's package.
  static func root(
    _ tree: TestTree, values: [String: PropertyListValue]? = [:], in blobs: BlobStore
  ) async throws -> TreeRoot {
    try await DocumentTree.store(entries(tree, values: values, in: blobs), in: blobs)
  }

  static func entries(
    _ tree: TestTree, values: [String: PropertyListValue]? = [:], in blobs: BlobStore
  ) async throws -> [TreeEntry] {
    var entries = try await entries(of: tree, at: .root, in: blobs)
    if let values {
      let bytes = try PackageMetadata(applicationValues: values).encodedApplicationValues()
      entries.append(
        try await file("Metadata.plist", Array(bytes), FileTime(seconds: 0, nanoseconds: 0), in: blobs))
    }
    return entries.sorted { $0.path < $1.path }
  }

  private static func entries(
    of tree: TestTree, at path: PackagePath, in blobs: BlobStore
  ) async throws -> [TreeEntry] {
    var entries: [TreeEntry] = []
    for (name, child) in tree.entries {
      let path = path.appending(name)
      switch child {
      case .directory:
        entries.append(TreeEntry(path, .directory, mode: 0o755))
        entries += try await self.entries(of: child, at: path, in: blobs)
      case .link(let destination): entries.append(TreeEntry(path, .link(destination), mode: 0))
      case .file(let bytes, let mode):
        entries.append(
          try await file(path, bytes, FileTime(seconds: 1_000_000_000, nanoseconds: 7), mode: mode, in: blobs)
        )
      case .other: continue
      }
    }
    return entries
  }

  static func file(
    _ path: PackagePath, _ bytes: [UInt8],
    _ modified: FileTime = FileTime(seconds: 1_000_000_000, nanoseconds: 7),
    mode: UInt16 = 0o644, in blobs: BlobStore
  ) async throws -> TreeEntry {
    let data = Data(bytes)
    var pieces: [FilePiece] = []
    let size = data.count <= FileUpload.maximumWhole ? FileUpload.maximumWhole : 4 << 20
    for start in stride(from: 0, to: data.count, by: size) {
      let piece = data[start..<min(start + size, data.count)]
      pieces.append(FilePiece(try await blobs.put(Data(piece)), size: UInt64(piece.count)))
    }
    let content = FileContent(
      size: UInt64(bytes.count), hash: ContentHash(of: bytes), modified: modified,
      list: try await PieceList.store(pieces, in: blobs))
    return TreeEntry(path, .file(content), mode: mode)
  }

  /// Downloads a document.
  static func download(
    to path: FilePath, isPackage: Bool = true, from base: TreeRoot? = nil, to target: TreeRoot,
    in blobs: BlobStore,
    on disk: any Disk = PosixDisk()
  ) async throws {
    let differences = try await DocumentTree.differences(from: base, to: target, in: blobs)
    try await DocumentDownload(
      to: path, isPackage: isPackage, contentType: type, isNew: base == nil, differences, in: blobs, on: disk
    ).run()
  }

  /// Returns the children of a package on a disk, without the library's own files.
  static func children(of path: FilePath, on disk: any Disk = PosixDisk()) throws -> TestTree {
    var tree = try TestTree.read(disk.openDirectory(at: path), of: disk)
    tree[PackageLayout.metadata] = nil
    tree[PackageLayout.hidden] = nil
    return tree
  }
}
