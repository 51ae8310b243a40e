import DurableIO
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("The pieces of a large file", .tags(.scale), .temporaryDirectory)
struct FilePiecesTests {
  private let disk = PosixDisk()

  private func random(_ count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: 42)
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { buffer in
      for word in 0..<count / 8 {
        buffer.storeBytes(of: random.next(), toByteOffset: word * 8, as: UInt64.self)
      }
    }
    return bytes
  }

  /// Writes the file `a` of the document at `path`.
  private func write(_ bytes: [UInt8], in path: FilePath) throws {
    let folder = try disk.openDirectory(at: path)
    if try disk.exists("a", in: folder) { try disk.removeFile("a", in: folder) }
    try disk.write(bytes, to: disk.createFile("a", in: folder, mode: 0o644), at: 0)
  }

  private func upload(
    in path: FilePath, over base: FileContent? = nil, to blobs: BlobStore
  ) async throws -> FileContent {
    try await FileUpload(of: "a", in: path, over: base, to: blobs).content()
  }

  private func bytes(of content: FileContent, in blobs: BlobStore) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await content.forEachPiece(in: blobs) { piece, offset in
      #expect(offset == UInt64(bytes.count))
      bytes += try await blobs.get(piece.name)
    }
    return bytes
  }

  @Test
  func `are one blob if it is small, and none if it is empty`() async throws {
    let counter = CallCounter()
    let blobs = BlobStore(counter.store())
    try write([], in: folder)
    let empty = try await upload(in: folder, to: blobs)
    #expect(empty.size == 0 && empty.hash == .empty && empty.list == nil && counter[.put] == 0)
    try write([1, 2, 3], in: folder)
    let small = try await upload(in: folder, to: blobs)
    #expect(small.list == nil && small.hash == ContentHash(of: [1, 2, 3]) && counter[.put] == 1)
    #expect(try await bytes(of: small, in: blobs) == [1, 2, 3])
    // A flat file has no folder in its document.
    #expect(try await FileUpload(of: .root, in: folder.appending("a"), to: blobs).content() == small)
    try write([UInt8](repeating: 7, count: FileUpload.maximumWhole), in: folder)
    #expect(try await upload(in: folder, to: blobs).list == nil)
  }

  @Test
  func `stay the same around an inserted byte`() async throws {
    let store = CountingStore(MemoryStore())
    var bytes = random(64 << 20)
    try write(bytes, in: folder)
    let first = try await upload(in: folder, to: BlobStore(store))
    #expect(first.list != nil)
    var sizes: [UInt64] = []
    try await first.forEachPiece(in: BlobStore(store)) { piece, _ in sizes.append(piece.size) }
    // The sizes of pieces (PI2).
    #expect(sizes.dropLast().allSatisfy { (256 << 10...4 << 20).contains($0) })
    #expect((32...128).contains(sizes.count), "\(sizes.count) pieces")
    // The bytes around a cut decide on it (PI1).
    bytes.insert(0x55, at: 20 << 20)
    try write(bytes, in: folder)
    let before = store.traffic
    let blobs = BlobStore(store)
    let second = try await upload(in: folder, over: first, to: blobs)
    #expect(second.hash == ContentHash(of: bytes) && second.size == UInt64(bytes.count))
    let traffic = store.traffic - before
    #expect(traffic.bytesSent <= 5 << 20, "\(traffic)")
    #expect(try await self.bytes(of: second, in: blobs) == bytes)
  }

  @Test
  func `of a database are few if one page changed`() async throws {
    let store = CountingStore(MemoryStore())
    var bytes = random(100 << 20)
    bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
    try write(bytes, in: folder)
    let first = try await upload(in: folder, to: BlobStore(store))
    // A page, and the counter in the first page.
    bytes[24] ^= 1
    for offset in 0..<4096 { bytes[60 << 20 + offset] ^= 0xFF }
    try write(bytes, in: folder)
    let before = store.traffic
    #expect(try await upload(in: folder, over: first, to: BlobStore(store)).hash == ContentHash(of: bytes))
    let traffic = store.traffic - before
    #expect(traffic.bytesSent <= 3 << 20, "\(traffic)")
  }

  @Test
  func `are at most four in memory`() async throws {
    try write(random(24 << 20), in: folder)
    let store = SlowStore()
    _ = try await upload(in: folder, to: BlobStore(store))
    #expect((2...4).contains(store.most))
  }

  @Test
  func `are none if the file changes meanwhile`() async throws {
    let path = folder
    try write(random(12 << 20), in: path)
    let disk = self.disk
    let blobs = BlobStore(
      MemoryStore { call in
        guard call.number == 1 else { return nil }
        // Another program writes.
        let folder = try? disk.openDirectory(at: path)
        if let folder, let file = try? disk.openFileForWriting("a", in: folder) {
          try? disk.write([1], to: file, at: 11 << 20)
        }
        return nil
      })
    await expect(\FilePackageError.code, .changedOnDisk) { try await upload(in: path, to: blobs) }
  }

  @Test
  func `of a very large file are in one list, and too many are refused`() async throws {
    let blobs = BlobStore(MemoryStore())
    let piece = FilePiece(BlobName(ContentHash(of: [9])), size: 5)
    let pieces = (0..<30_000).map { number in
      FilePiece(BlobName(ContentHash(of: Array("\(number)".utf8))), size: UInt64(number % 1_000 + 1))
    }
    let content = FileContent(
      size: pieces.reduce(0) { $0 + $1.size }, hash: .empty, modified: FileTime(seconds: 0, nanoseconds: 0),
      list: try await PieceList.store(pieces, in: blobs))
    var read: [FilePiece] = []
    try await content.forEachPiece(in: blobs) { piece, _ in read.append(piece) }
    #expect(read == pieces)
    await expect(\CloudDataError.code, .refused) {
      try await PieceList.store(Array(repeating: piece, count: 300_000), in: blobs)
    }
  }

  @Test
  func `are refused if a list says another size, or is another object`() async throws {
    let blobs = BlobStore(MemoryStore())
    let pieces = (0..<40).map { FilePiece(BlobName(ContentHash(of: [$0])), size: 10) }
    let good = PieceList(pieces)
    #expect(PieceList(decoding: good.bytes, size: 400) == good)
    var (empty, large) = (good, good)
    empty.pieces[3].size = 0
    large.pieces[3].size = 5 << 20
    for (bytes, size) in [
      (good.bytes, 401), (good.bytes.dropLast(), 400), (Data(), 0), (Data([1]), 1),
      (Data([2]) + good.bytes.dropFirst(), 400), (empty.bytes, 390), (large.bytes, 390 + 5 << 20),
    ] as [(Data, UInt64)] {
      #expect(PieceList(decoding: bytes, size: size) == nil)
      let name = try await blobs.put(bytes)
      let content = FileContent(
        size: size, hash: .empty, modified: FileTime(seconds: 0, nanoseconds: 0),
        list: name)
      await #expect(throws: CloudDataError.self) {
        try await content.forEachPiece(in: blobs, child: "a") { _, _ in }
      }
    }
  }
}
