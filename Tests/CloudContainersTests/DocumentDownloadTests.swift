import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("A download of a document", .temporaryDirectory)
struct DocumentDownloadTests {
  private static let first: TestTree = [
    "Text.txt": "old text", "run.sh": .file(Array("#!".utf8), mode: 0o755),
    "Current": .link(Array("Images/1.png".utf8)),
    "Images": ["1.png": "one", "2.png": "two", "Deep": ["a.txt": "a", "empty": ""]], "Swap": "a file",
  ]
  private static let second: TestTree = [
    "Text.txt": "new text", "run.sh": .file(Array("#!".utf8), mode: 0o700),
    "Current": .link(Array("Text.txt".utf8)),
    "Images": ["1.png": "one", "3.png": "three"], "Swap": ["inner": "in a folder now"],
  ]

  @Test
  func `makes a new package whole, with its type, values, modes and dates`() async throws {
    let blobs = BlobStore(MemoryStore())
    let root = try await DownloadFixture.root(Self.first, values: ["Mood": .string("calm")], in: blobs)
    let path = folder.appending("Sub").appending("Trip.pkg")
    try await DownloadFixture.download(to: path, to: root, in: blobs)
    #expect(try DownloadFixture.children(of: path) == Self.first)
    let store = try await PackageStore.open(path, on: PosixDisk())
    let metadata = try #require(try await store.metadata())
    #expect(metadata.contentType == DownloadFixture.type)
    #expect(metadata.applicationValues == ["Mood": .string("calm")])
    #expect(try await store.verify().isWhole)
    let disk = PosixDisk()
    let status = try disk.status(of: "Text.txt", in: disk.openDirectory(at: path))
    #expect(status.modified == FileTime(seconds: 1_000_000_000, nanoseconds: 7))
    #expect(try TestTree.read(folder, of: disk).entries.keys.sorted() == ["Sub"])
  }

  @Test
  func `brings the changes alone, in one save`() async throws {
    let counter = CallCounter()
    let blobs = BlobStore(counter.store())
    let old = try await DownloadFixture.root(Self.first, in: blobs)
    let new = try await DownloadFixture.root(Self.second, values: ["Mood": .string("wild")], in: blobs)
    let path = folder.appending("Trip.pkg")
    try await DownloadFixture.download(to: path, to: old, in: blobs)
    let disk = PosixDisk()
    let images = try disk.openDirectory("Images", in: disk.openDirectory(at: path))
    let kept = try disk.status(of: "1.png", in: images).identity
    let generation = try await PackageStore.open(path, on: disk).metadata()?.generation ?? 0
    counter.reset()
    try await DownloadFixture.download(to: path, from: old, to: new, in: blobs)
    #expect(try DownloadFixture.children(of: path) == Self.second)
    #expect(try disk.status(of: "1.png", in: images).identity == kept)
    let metadata = try await PackageStore.open(path, on: disk).metadata()
    #expect(metadata?.applicationValues == ["Mood": .string("wild")])
    #expect(metadata?.generation == generation + 1)
    // Two pages, the text, the image, the inner file and the values.
    #expect(counter[.get] == 6)
    // Nothing is left to do, and it is no error to do it again.
    try await DownloadFixture.download(to: path, from: old, to: new, in: blobs)
    try await DownloadFixture.download(to: path, from: new, to: new, in: blobs)
    #expect(try await PackageStore.open(path, on: disk).metadata()?.generation == generation + 1)
    #expect(try TestTree.read(folder, of: disk).entries.keys.sorted() == ["Trip.pkg"])
  }

  @Test
  func `takes the bytes of a renamed child from here`() async throws {
    let counter = CallCounter()
    let blobs = BlobStore(counter.store())
    let large = TestTree.file([UInt8](repeating: 5, count: 2 << 20))
    let roots = [
      try await DownloadFixture.root(["a": large, "b": "small", "c": "third"], in: blobs),
      try await DownloadFixture.root(
        ["Moved": ["a": large], "b2": "small", "b3": "small", "c": "small"], in: blobs),
    ]
    let path = folder.appending("Trip.pkg")
    try await DownloadFixture.download(to: path, to: roots[0], in: blobs)
    counter.reset()
    try await DownloadFixture.download(to: path, from: roots[0], to: roots[1], in: blobs)
    #expect(
      try DownloadFixture.children(of: path) == [
        "Moved": ["a": large], "b2": "small", "b3": "small", "c": "small",
      ])
    // The two pages alone.
    #expect(counter[.get] == 2)
    #expect(try await PackageStore.open(path, on: PosixDisk()).verify().isWhole)
  }

  @Test
  func `of another program's package adds no metadata`() async throws {
    let blobs = BlobStore(MemoryStore())
    let disk = PosixDisk()
    for (name, tree) in [
      ("Plain.pkg", Self.first), ("Own.pkg", ["Metadata.plist": "not a plist", "a": "b"]),
    ] as [(String, TestTree)] {
      let root = try await DownloadFixture.root(tree, values: nil, in: blobs)
      let path = folder.appending(name)
      try await DownloadFixture.download(to: path, to: root, in: blobs)
      #expect(try TestTree.read(path, of: disk) == tree)
    }
    let changed: TestTree = ["Metadata.plist": "not a plist", "a": "c"]
    let root = try await DownloadFixture.root(
      ["Metadata.plist": "not a plist", "a": "b"], values: nil, in: blobs)
    let new = try await DownloadFixture.root(changed, values: nil, in: blobs)
    let path = folder.appending("Own.pkg")
    try await DownloadFixture.download(to: path, from: root, to: new, in: blobs)
    #expect(try TestTree.read(path, of: disk) == changed)
  }

  @Test
  func `makes and changes a flat file`() async throws {
    let blobs = BlobStore(MemoryStore())
    let disk = PosixDisk()
    let roots = [
      try await DownloadFixture.root(["Content": "one"], values: nil, in: blobs),
      try await DownloadFixture.root(["Content": "two"], values: nil, in: blobs),
    ]
    let path = folder.appending("Notes.txt")
    try await DownloadFixture.download(to: path, isPackage: false, to: roots[0], in: blobs)
    #expect(try TestTree.read(folder, of: disk) == ["Notes.txt": "one"])
    try await DownloadFixture.download(to: path, isPackage: false, from: roots[0], to: roots[1], in: blobs)
    #expect(try TestTree.read(folder, of: disk) == ["Notes.txt": "two"])
    // Changed here meanwhile (DD2).
    await expect(\FilePackageError.code, .changedOnDisk) {
      try await DownloadFixture.download(to: path, isPackage: false, from: roots[0], to: roots[0], in: blobs)
      try await DownloadFixture.download(
        to: path, isPackage: false,
        from: DownloadFixture.root(["Content": "three"], values: nil, in: blobs),
        to: roots[0], in: blobs)
    }
    #expect(try TestTree.read(folder, of: disk) == ["Notes.txt": "two"])
  }

  @Test
  func `changes nothing if a child that it would replace was changed here`() async throws {
    let blobs = BlobStore(MemoryStore())
    let old = try await DownloadFixture.root(Self.first, in: blobs)
    let new = try await DownloadFixture.root(Self.second, values: ["Mood": .string("wild")], in: blobs)
    for (path, change) in [
      ("Text.txt", "mine"), ("Images/2.png", "mine"), ("Images/3.png", "mine"), ("Images/Deep/new", "mine"),
      ("Current", "mine"),
    ] {
      let package = folder.appending("Trip.pkg")
      try await DownloadFixture.download(to: package, to: old, in: blobs)
      let store = try await PackageStore.open(package, on: PosixDisk())
      try await store.tree.setDescendant(FileWrapper(regularFileWithContents: Data(change.utf8)), at: path)
      try await store.save()
      try await store.close()
      let before = try DownloadFixture.children(of: package)
      // Only children as the container had them are replaced (DD2).
      let error = await #expect(throws: FilePackageError.self, "\(path)") {
        try await DownloadFixture.download(to: package, from: old, to: new, in: blobs)
      }
      #expect(error?.code == .changedOnDisk)
      #expect(try DownloadFixture.children(of: package) == before)
      try await FolderLocation(URL(filePath: folder.string)).delete("Trip.pkg")
    }
  }

  @Test
  func `leaves a child alone that only this machine changed`() async throws {
    let blobs = BlobStore(MemoryStore())
    let old = try await DownloadFixture.root(Self.first, in: blobs)
    let new = try await DownloadFixture.root(Self.second, in: blobs)
    let path = folder.appending("Trip.pkg")
    try await DownloadFixture.download(to: path, to: old, in: blobs)
    let disk = PosixDisk()
    try TestTree.file(Array("mine".utf8)).write(to: "Mine.txt", in: disk.openDirectory(at: path), of: disk)
    try await DownloadFixture.download(to: path, from: old, to: new, in: blobs)
    var expected = Self.second
    expected["Mine.txt"] = "mine"
    #expect(try DownloadFixture.children(of: path) == expected)
  }

  @Test
  func `does not take the name of another document`() async throws {
    let blobs = BlobStore(MemoryStore())
    let disk = PosixDisk()
    let other: TestTree = ["Trip.pkg": ["mine": "mine"], "Notes.txt": "mine"]
    try other.writeEntries(into: folder, of: disk)
    for (name, isPackage, tree) in [
      ("Trip.pkg", true, Self.first), ("Notes.txt", false, ["Content": "theirs"]),
    ] {
      let root = try await DownloadFixture.root(tree, values: nil, in: blobs)
      await expect(\FilePackageError.code, .fileExists) {
        try await DownloadFixture.download(
          to: folder.appending(name), isPackage: isPackage, to: root, in: blobs)
      }
    }
    #expect(try TestTree.read(folder, of: disk) == other)
  }

  @Test
  func `fetches a large file in pieces, and tells its progress`() async throws {
    let blobs = BlobStore(MemoryStore())
    var bytes = [UInt8](repeating: 0, count: 20 << 20)
    for position in stride(from: 0, to: bytes.count, by: 509) {
      bytes[position] = UInt8(truncatingIfNeeded: position >> 9)
    }
    let entries = [
      try await DownloadFixture.file("Large.bin", bytes, in: blobs),
      try await DownloadFixture.file("Two megabytes", Array(bytes.prefix(2 << 20)), in: blobs),
      TreeFixture.file("empty"),
    ]
    let root = try await DocumentTree.store(entries, in: blobs)
    let path = folder.appending("Trip.pkg")
    let progress = Mutex<[(arrived: UInt64, total: UInt64)]>([])
    let differences = try await DocumentTree.differences(from: nil, to: root, in: blobs)
    try await DocumentDownload(to: path, isPackage: true, isNew: true, differences, in: blobs).run {
      arrived, total in
      progress.withLock { $0.append((arrived, total)) }
    }
    let seen = progress.withLock { $0 }
    #expect(seen.reduce(0) { $0 + $1.arrived } == root.totals.bytes)
    #expect(seen.allSatisfy { $0.total == root.totals.bytes })
    #expect(seen.first?.arrived == 0 && seen.count >= 5)
    let disk = PosixDisk()
    let package = try disk.openDirectory(at: path)
    #expect(try disk.readAll(disk.openFile("Large.bin", in: package), atMost: bytes.count + 1) == bytes)
    #expect(try disk.status(of: "Two megabytes", in: package).size == 2 << 20)
    #expect(try TestTree.read(folder, of: disk).entries.keys.sorted() == ["Trip.pkg"])
  }

  @Test
  func `that is cancelled or fails changes nothing and leaves nothing`() async throws {
    let isBroken = Mutex(false)
    let cancelled = Mutex<Task<Void, any Error>?>(nil)
    let blobs = BlobStore(
      MemoryStore { call in
        guard call.operation == .get, isBroken.withLock({ $0 }) else { return nil }
        guard let task = cancelled.withLock({ $0 }) else { return .refusal(.unreachable) }
        task.cancel()
        return nil
      })
    let large = [UInt8](repeating: 9, count: 3 << 20)
    let old = try await DownloadFixture.root(Self.first, in: blobs)
    var tree = Self.second
    tree["Large.bin"] = .file(large)
    let new = try await DownloadFixture.root(tree, in: blobs)
    let path = folder.appending("Trip.pkg")
    try await DownloadFixture.download(to: path, to: old, in: blobs)
    isBroken.withLock { $0 = true }
    await #expect(throws: CloudDataError.self) {
      try await DownloadFixture.download(to: path, from: old, to: new, in: blobs)
    }
    let (start, go) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in start {}
      try await DownloadFixture.download(to: path, from: old, to: new, in: blobs)
    }
    cancelled.withLock { $0 = task }
    go.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try DownloadFixture.children(of: path) == Self.first)
    #expect(try TestTree.read(folder, of: PosixDisk()).entries.keys.sorted() == ["Trip.pkg"])
    isBroken.withLock { $0 = false }
    try await DownloadFixture.download(to: path, from: old, to: new, in: blobs)
    #expect(try DownloadFixture.children(of: path) == tree)
  }
}
