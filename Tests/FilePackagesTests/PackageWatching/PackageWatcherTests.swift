import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("A watched package", .temporaryDirectory)
struct PackageWatcherTests {
  static let tree: TestTree = [
    "Text.txt": "text", "Other.txt": "other", "Images": ["1.png": "one", "Deep": ["2.png": "two"]],
  ]

  /// A change by another program to a package, and the places that the watcher must report.
  struct Outside: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var places: Set<String>
    var act: @Sendable (Scratch) throws -> Void

    init(_ name: String, _ places: Set<String>, _ act: @escaping @Sendable (Scratch) throws -> Void) {
      (testDescription, self.places, self.act) = (name, places, act)
    }
  }

  static let outside: [Outside] = [
    Outside("a new file", ["New.txt"]) { try $0.write("new", to: "A.pkg/New.txt") },
    Outside("a file written in place", ["Text.txt"]) { scratch in
      let file = open(scratch.text("A.pkg/Text.txt"), O_WRONLY)
      #expect(write(file, "TEXT", 4) == 4 && close(file) == 0)
    },
    Outside("a file replaced by rename", ["Text.txt"]) { scratch in
      try scratch.write("new", to: "new")
      try scratch.rename("new", to: "A.pkg/Text.txt")
    },
    Outside("a file that a program keeps open", ["Text.txt"]) { scratch in
      // The file is never closed.
      let file = open(scratch.text("A.pkg/Text.txt"), O_WRONLY | O_APPEND)
      #expect(write(file, "more", 4) == 4)
    },
    Outside("a file removed", ["Text.txt"]) { try $0.remove("A.pkg/Text.txt") },
    Outside("a file renamed", ["Text.txt", "Renamed.txt"]) {
      try $0.rename("A.pkg/Text.txt", to: "A.pkg/Renamed.txt")
    },
    Outside("a file moved to another folder", ["Text.txt", "Images/Deep/Text.txt"]) {
      try $0.rename("A.pkg/Text.txt", to: "A.pkg/Images/Deep/Text.txt")
    },
    Outside("a file moved away", ["Images/1.png"]) { try $0.rename("A.pkg/Images/1.png", to: "1.png") },
    Outside("two files exchanged", ["Text.txt", "Other.txt"]) { scratch in
      let folder = try scratch.disk.openDirectory(at: scratch.path("A.pkg"))
      try scratch.disk.rename("Text.txt", in: folder, to: "Other.txt", in: folder, .exchange)
    },
    Outside("a mode", ["Text.txt"]) { #expect(chmod($0.text("A.pkg/Text.txt"), 0o600) == 0) },
    Outside("a symbolic link", ["Link"]) { #expect(symlink("/etc", $0.text("A.pkg/Link")) == 0) },
    Outside("a FIFO", ["Pipe"]) { #expect(mkfifo($0.text("A.pkg/Pipe"), 0o600) == 0) },
    Outside("a name that is not UTF-8", ["\u{10FEFF}"]) { scratch in
      let folder = try scratch.disk.openDirectory(at: scratch.path("A.pkg"))
      _ = try scratch.disk.createFile(FileName(bytes: [0xFF]), in: folder, mode: 0o600)
    },
    Outside("a file deep within", ["Images/Deep/2.png"]) {
      try $0.write("new", to: "A.pkg/Images/Deep/2.png")
    },
    Outside("new folders filled at once", ["a", "a/b", "a/b/c", "a/b/c/File"]) { scratch in
      try scratch.makeFolder("A.pkg/a/b/c")
      try scratch.write("new", to: "A.pkg/a/b/c/File")
    },
    Outside("a folder moved in with all that is in it", ["In", "In/Folder", "In/Folder/File"]) { scratch in
      try scratch.makeFolder("In/Folder")
      try scratch.write("new", to: "In/Folder/File")
      try scratch.rename("In", to: "A.pkg/In")
    },
    Outside(
      "a folder renamed", ["Images", "Pictures", "Pictures/1.png", "Pictures/Deep", "Pictures/Deep/2.png"]
    ) { try $0.rename("A.pkg/Images", to: "A.pkg/Pictures") },
    Outside("a folder removed", ["Images/Deep", "Images/Deep/2.png"]) { try $0.remove("A.pkg/Images/Deep") },
  ]

  @Test(arguments: outside)
  func `tells of`(_ outside: Outside) async throws {
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg")
    try outside.act(scratch)
    try await listener.expect { $0.paths.isSuperset(of: outside.places) }
    // The watcher reports no other place, and reports later changes.
    #expect(try await listener.all(in: scratch.text("A.pkg")) == outside.places)
    #expect(listener.others == [])
    await listener.end()
  }

  @Test func `tells of what happens in folders that came later`() async throws {
    // A renamed folder is watched under its new name, and one that left is not (WH2).
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg")
    try scratch.makeFolder("A.pkg/New/Inner")
    try scratch.rename("A.pkg/Images", to: "A.pkg/New/Pictures")
    try await listener.expect { $0.paths.isSuperset(of: ["New/Inner", "New/Pictures/Deep/2.png"]) }
    listener.forget()
    try scratch.write("x", to: "A.pkg/New/Inner/File")
    try scratch.write("x", to: "A.pkg/New/Pictures/Deep/2.png")
    try await listener.expect { $0.paths.isSuperset(of: ["New/Inner/File", "New/Pictures/Deep/2.png"]) }
    // A folder that left the package is not part of it.
    try scratch.rename("A.pkg/New/Inner", to: "Gone")
    try await listener.expect { $0.paths.contains("New/Inner") }
    listener.forget()
    try scratch.write("x", to: "Gone/Other")
    #expect(try await listener.all(in: scratch.text("A.pkg")) == [])
  }

  @Test func `misses nothing in folders that are made, filled and renamed at once`() async throws {
    // Each folder is watched before it is listed (WH1).
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg")
    var expected: Set<String> = []
    for number in 0..<150 {
      try scratch.makeFolder("A.pkg/tmp\(number)/a/b")
      try scratch.write("x", to: "A.pkg/tmp\(number)/a/b/before")
      try scratch.rename("A.pkg/tmp\(number)", to: "A.pkg/\(number)")
      try scratch.write("x", to: "A.pkg/\(number)/a/b/after")
      expected.formUnion(["\(number)", "\(number)/a/b/before", "\(number)/a/b/after"])
    }
    try await listener.expect { $0.paths.isSuperset(of: expected) }
    #expect(listener.others == [])
  }

  @Test func `tells of a storm of 10,000 files, each of them or that there were too many`() async throws {
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg")
    let folder = try scratch.disk.openDirectory(at: scratch.path("A.pkg/Images"))
    for number in 0..<10_000 {
      _ = try scratch.disk.createFile(FileName("\(number)"), in: folder, mode: 0o600)
    }
    let expected = Set((0..<10_000).map { "Images/\($0)" })
    try await listener.expect { $0.paths.isSuperset(of: expected) || $0.events.contains(.overflow) }
    _ = try await listener.all(in: scratch.text("A.pkg"))
  }

  @Test func `reports no more places than were asked for, but that there were more`() async throws {
    try scratch.make("A.pkg", Self.tree)
    var options = PackageWatcher.Options.hasty
    options.maximumPaths = 10
    let watcher = try await PackageWatcher.watch(scratch.url("A.pkg"), options: options)
    // No listener asks meanwhile.
    for number in 0..<11 { try scratch.write("x", to: "A.pkg/\(number)") }
    let listener = WatchListener(watcher)
    try await listener.expect { $0.events.contains(.overflow) || $0.paths.count == 11 }
    let most = listener.events.map { if case .changed(let paths) = $0 { paths.count } else { 0 } }.max()
    #expect((most ?? 0) <= 10)
    await listener.end()
  }

  @Test func `follows no link, and leaves the hidden folder out`() async throws {
    try scratch.make("A.pkg", Self.tree)
    try scratch.makeFolder("Outside")
    try scratch.makeFolder("A.pkg/.docpkg")
    #expect(symlink("../Outside", scratch.text("A.pkg/Link")) == 0)
    let listener = try await scratch.watch("A.pkg")
    try scratch.write("x", to: "Outside/File")
    try scratch.write("x", to: "A.pkg/.docpkg/log")
    try scratch.makeFolder("A.pkg/.docpkg/tmp")
    try scratch.remove("A.pkg/.docpkg")
    #expect(try await listener.all(in: scratch.text("A.pkg")) == [])
    // In another folder the name has no special meaning.
    try scratch.makeFolder("A.pkg/Images/.docpkg")
    try await listener.expect { $0.paths.contains("Images/.docpkg") }
  }

  @Test func `is reached by a link, by a relative path and by any name`() async throws {
    try scratch.make("A.pkg", Self.tree)
    #expect(symlink("A.pkg", scratch.text("Link")) == 0)
    let listener = try await scratch.watch("Link")
    #expect(listener.watcher.url.path == scratch.text("A.pkg"))
    #expect(try await listener.all(in: scratch.text("A.pkg")) == [])
    try scratch.remove("Link")
    #expect(try await listener.all(before: "Second", in: scratch.text("A.pkg")) == ["Marker"])
    #expect(listener.others == [])
    let name = FileName(bytes: [0x61, 0xFF])
    try scratch.make(name, Self.tree)
    let other = try await scratch.watch(name.string)
    try scratch.disk.removeFile("Text.txt", in: scratch.disk.openDirectory(at: scratch.path(name.string)))
    try await other.expect { $0.paths == ["Text.txt"] }
  }

  @Test func `ends every iteration when it ends or its task is cancelled`() async throws {
    try scratch.make("A.pkg", Self.tree)
    let watcher = try await PackageWatcher.watch(scratch.url("A.pkg"))
    let cancelled = Task { for await _ in watcher {} }
    cancelled.cancel()
    await cancelled.value
    let ended = Task { for await _ in watcher {} }
    await watcher.stop()
    await ended.value
    await watcher.stop()
    var after = watcher.makeAsyncIterator()
    #expect(await after.next() == nil)
  }

  @Test func `has to be there, and to be a folder or a file`() async throws {
    let missing = await #expect(throws: FilePackageError.self) {
      try await PackageWatcher.watch(scratch.url("Missing"))
    }
    #expect(missing?.code == .noSuchFile && missing?.operation == .watch)
    #expect(mkfifo(scratch.text("Pipe"), 0o600) == 0)
    await expect(\FilePackageError.code, .wrongKind) { try await PackageWatcher.watch(scratch.url("Pipe")) }
  }
}
