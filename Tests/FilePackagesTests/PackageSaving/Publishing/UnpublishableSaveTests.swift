import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Names and places that a file system refuses: found before the commit if possible, otherwise with a way out.
@Suite("A save that the file system does not permit")
struct UnpublishableSaveTests {
  private static let tree: TestTree = [
    "Text.txt": "old", "Images": ["1.png": "one", "2.png": "two"], "Other": ["3.png": "three"],
  ]

  /// The files among the staged ones, and the natural tree.
  private static func state(of disk: CrashDisk) throws -> (staged: [String], tree: TestTree?) {
    let staged = try? disk.names(in: "/Trip.pkg/.docpkg/tmp")
    return (staged ?? [], disk.tree["Trip.pkg"]?.withoutOurs)
  }

  // MARK: Before the commit

  struct Flagged: Sendable {
    var path: FilePath
    var edit: Edit
    var words: String
  }

  @Test(arguments: [
    Flagged(path: "Images/1.png", edit: .put("Images/1.png", "new"), words: "it is immutable"),
    Flagged(path: "Images/1.png", edit: .remove("Images/1.png"), words: "it is immutable"),
    Flagged(path: "Images/1.png", edit: .remove("Images"), words: "it is immutable"),
    Flagged(path: "Images", edit: .put("Images/4.png", "new"), words: "its folder is immutable"),
    Flagged(path: "Images", edit: .remove("Images"), words: "it is immutable"),
    Flagged(path: "Images", edit: .mode("Images", 0o700), words: "it is immutable"),
  ])
  func `is refused before its commit, and holds up no other`(flagged: Flagged) async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    try disk.setImmutable(CrashCheck.path.appending(flagged.path.components))
    try await store.edit([flagged.edit, .put("Text.txt", "new")])
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == .permissionDenied && error?.reason?.contains(flagged.words) == true)
    #expect(try Self.state(of: disk).tree == Self.tree)
    #expect(try PackageStore.recoveryReport(CrashCheck.path, on: disk).log == .none)
    try await store.close()

    let other = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await other.save("Text.txt", "other").isPublished)
    try await other.close()
    #expect(try await other.verify().isWhole)
  }

  @Test(arguments: [
    ([Edit.put("c:d", "new")], FilePackageError.Code.invalidName, "c:d"),
    ([.put("y ", "new")], .invalidName, "y "),
    ([.put("Images/q?", "new")], .invalidName, "Images/q?"),
    ([.move("Images/1.png", "Images/*.png")], .invalidName, "Images/*.png"),
    ([.link("x.", to: "Text.txt")], .invalidName, "x."),
    ([.put("x.", "new"), .put("x", "new")], .nameCollision, "x."),
    ([.put("TEXT.txt", "new")], .nameCollision, "TEXT.txt"),
    ([.folder("New"), .put("New/x.", "new")], .invalidName, "New/x."),
    ([.folder("New"), .put("New/c:d", "new")], .invalidName, "New/c:d"),
  ])
  func `is refused where the file system takes, folds or writes a name in its own way`(
    edits: [Edit], code: FilePackageError.Code, child: String
  ) async throws {
    let options = with(CrashDisk.Options()) { $0.limitsNames = true }
    let (disk, store) = try await CrashCheck.store(Self.tree, options: options)
    try await store.edit(edits)
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == code && error?.child == child, "\(error.debugDescription)")
    try await store.close()
    #expect(try Self.state(of: disk) == ([], Self.tree))

    let other = try await PackageStore.open(CrashCheck.path, on: disk)
    try await other.edit([
      .put("Text.txt", "new"), .put("X", "new"), .folder("Folder"), .put("Folder/y", "y"),
    ])
    #expect(try await other.save().isPublished)
    try await other.close()
    #expect(try await other.verify().isWhole)
    #expect(try Self.state(of: disk).staged == [])
  }

  @Test func `makes no package of such names`() async throws {
    let disk = try CrashDisk([:], options: with(.init()) { $0.limitsNames = true })
    for names in [["c:d"], ["x."], ["x", "X"]] {
      let tree = FileWrapper(directoryWithFileWrappers: [:])
      for name in names { try tree.put(Data(name.utf8), named: name) }
      await #expect(throws: FilePackageError.self) {
        try await PackageStore.create(tree, CrashCheck.path, contentType: nil, on: disk)
      }
      #expect(disk.tree == [:])
    }
  }

  // MARK: The way out

  struct Blocked: Sendable {
    /// The flagged node; nil if the names are limited.
    var path: FilePath?
    var edits: [Edit]
    /// The first dropped change, the number of them, and the new bytes that stay.
    var dropped: String
    var count = 1
    var kept: [String: String]
    /// The children of the document afterwards.
    var expected: TestTree
  }

  static let blocked: [Blocked] = [
    Blocked(
      path: "Images/1.png", edits: [.put("Images/1.png", "new one")], dropped: "write Images/1.png",
      kept: ["Images/1.png": "new one"], expected: tree),
    Blocked(
      path: "Images", edits: [.put("Images/4.png", "four")], dropped: "write Images/4.png",
      kept: ["Images/4.png": "four"], expected: tree),
    Blocked(
      path: "Images/1.png", edits: [.remove("Images/1.png")], dropped: "remove Images/1.png", kept: [:],
      expected: tree),
    Blocked(
      path: "Images", edits: [.remove("Images")], dropped: "remove Images", count: 3, kept: [:],
      expected: tree),
    Blocked(
      path: nil, edits: [.put("c:d", "refused")], dropped: "write c:d", kept: ["c%3Ad": "refused"],
      expected: tree),
    Blocked(
      path: nil, edits: [.folder("y "), .put("y /z", "deep")], dropped: "make folder y ", count: 2,
      kept: ["y%20/z": "deep"], expected: tree),
  ]

  /// Makes a disk with a save that is committed, and that cannot be published.
  private static func disk(_ blocked: Blocked, keepsHistory: Bool) async throws -> CrashDisk {
    let (disk, store) = try await CrashCheck.store(tree)
    try await store.saveAndClose("Text.txt", "first", options: keepsHistory ? .keepsHistory : [])
    let killed = try await PackageStore.open(CrashCheck.path, on: disk)
    try await killed.edit(blocked.edits + [.put("Text.txt", "second"), .put("Other/new.png", "new")])
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await killed.save(options: .returnsAtCommit)
    }
    let after = try #require(points.last).afterKill()
    if let path = blocked.path {
      try after.setImmutable(CrashCheck.path.appending(path.components))
    } else {
      after.limitNames()
    }
    return after
  }

  @Test(arguments: Self.blocked, [false, true])
  func `gives up what cannot be published, and keeps its bytes`(blocked: Blocked, keepsHistory: Bool)
    async throws
  {
    let disk = try await Self.disk(blocked, keepsHistory: keepsHistory)
    do {
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      #expect(await store.unpublishedProblem?.code == .unpublished)
      try await store.put("Text.txt", "third")
      let error = await #expect(throws: FilePackageError.self) { try await store.save() }
      #expect(error?.code == .unpublished)
      #expect(
        error?.description.contains("an earlier save cannot be published: operation not") == true
          || blocked.path == nil)
    }
    let discarded = try await PackageStore.discardUnpublishable(CrashCheck.path, on: disk)
    #expect(discarded.count == blocked.count)
    #expect(discarded.first?.operation.description.hasPrefix(blocked.dropped) == true)
    var expected = blocked.expected
    expected["Text.txt"] = "second"
    expected["Other"]?["new.png"] = "new"
    #expect(disk.tree["Trip.pkg"]?.withoutOurs == expected)
    let kept = discarded.compactMap(\.kept)
    #expect(kept.isEmpty == blocked.kept.isEmpty)
    for (path, text) in blocked.kept {
      let folders = try disk.names(in: "/Trip.pkg/.docpkg/conflicts")
      #expect(folders.count == 1)
      let place = FilePath("/Trip.pkg/.docpkg/conflicts/\(folders.first ?? "")/\(path)")
      let parent = try disk.openDirectory(at: place.removingLastComponent())
      let name = try #require(place.lastComponent.map(FileName.init))
      #expect(try disk.contents(of: name, in: parent) == Array(text.utf8))
      #expect(kept.allSatisfy { "\(place)".hasPrefix("/Trip.pkg/\($0)") })
    }

    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(await store.unpublishedProblem == nil)
    let report = try await store.verify()
    #expect(report.isWhole, "\(report)")
    if keepsHistory {
      let versions = try await store.versions()
      #expect(versions.count == 2)
      for version in versions {
        #expect(try await store.contents(of: version.persistentIdentifier).lost == [])
      }
    }
    #expect(try await store.save("Text.txt", "third").isPublished)
    try await store.close()
    #expect(try await store.verify().isWhole)
    #expect(try await PackageStore.discardUnpublishable(CrashCheck.path, on: disk) == [])
  }

  @Test(arguments: [0, 4, 5])
  func `gives it up also if the program is killed at any moment, and begins again`(number: Int) async throws {
    let blocked = Self.blocked[number]
    let disk = try await Self.disk(blocked, keepsHistory: true)
    let points = try await CrashDisk.crashPoints(of: disk) {
      _ = try await PackageStore.discardUnpublishable(CrashCheck.path, on: disk)
    }
    #expect(points.count > 20)
    for point in points {
      let killed = point.afterKill()
      _ = try await PackageStore.discardUnpublishable(CrashCheck.path, on: killed)
      #expect(try await PackageStore.open(CrashCheck.path, on: killed).verify().isWhole, "\(point)")
      let kept = try killed.names(in: "/Trip.pkg/.docpkg/conflicts")
      #expect(kept.count == 1, "\(point)")
      var expected = blocked.expected
      expected["Text.txt"] = "second"
      expected["Other"]?["new.png"] = "new"
      #expect(killed.tree["Trip.pkg"]?.withoutOurs == expected, "\(point)")
    }
  }

  @Test func `gives up the attributes of the package's own folder, and can be read`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let killed = try await PackageStore.open(CrashCheck.path, on: disk)
    let tree = await killed.tree
    tree.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = UInt(0o700)
    try await killed.put("Text.txt", "second")
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await killed.save(options: .returnsAtCommit)
    }
    let after = try #require(points.last).afterKill()
    let faulty = FaultyDisk(after)
    faulty.fail(.operation(.setMode), with: .notPermitted)
    #expect(try await PackageStore.discardUnpublishable(CrashCheck.path, on: faulty.disk).count == 1)
    faulty.stopFailing()
    let store = try await PackageStore.open(CrashCheck.path, on: after)
    #expect(try await store.verify().isWhole)
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "second")
    #expect(try await store.save("Text.txt", "third").isPublished)
    try await store.close()
  }

  @Test func `keeps what another program wrote into the published metadata`() async throws {
    let disk = try await Self.disk(Self.blocked[0], keepsHistory: false)
    _ = try await PackageStore.open(CrashCheck.path, on: disk)  // Publishes all but the refused child.
    let plist = String(decoding: try disk.contents(of: "/Trip.pkg/Metadata.plist"), as: UTF8.self)
    let edited = plist.replacing(
      "<dict>", with: "<dict>\n\t<key>DisplayName</key>\n\t<string>Theirs</string>", maxReplacements: 1)
    try disk.rewrite("Metadata.plist", Array(edited.utf8), in: CrashCheck.path)
    #expect(
      try await PackageStore.discardUnpublishable(CrashCheck.path, on: disk).count == Self.blocked[0].count)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await store.metadata()?.displayName == "Theirs")
    #expect(try await store.verify().isWhole)
    try await store.close()
  }

  @Test func `is given up neither on a full disk nor without its metadata`() async throws {
    let disk = try await Self.disk(Self.blocked[0], keepsHistory: false)
    let faulty = FaultyDisk(disk)
    faulty.fail(.operation(.createFile), with: .noSpace)
    await expect(\FilePackageError.code, .noSpace) {
      try await PackageStore.discardUnpublishable(CrashCheck.path, on: faulty.disk)
    }
    faulty.stopFailing()
    try disk.setImmutable("/Trip.pkg/Metadata.plist")
    await expect(\FilePackageError.child, "Metadata.plist") {
      try await PackageStore.discardUnpublishable(CrashCheck.path, on: disk)
    }
    #expect(try PackageStore.recoveryReport(CrashCheck.path, on: disk).log == .waiting)
    for path: FilePath in ["/Trip.pkg/Metadata.plist", "/Trip.pkg/Images/1.png"] {
      try disk.setImmutable(path, false)
    }
    #expect(try await PackageStore.discardUnpublishable(CrashCheck.path, on: disk) == [])
    #expect(disk.tree["Trip.pkg"]?["Images"]?["1.png"] == "new one")
  }
}

@Suite("The obstacles to publishing")
struct PublishObstacleTests {
  private static func status(
    _ kind: FileKind, user: UInt32 = 1000, mode: UInt16 = 0o755, device: UInt64 = 1, mount: UInt64? = 7,
    isImmutable: Bool = false
  ) -> FileStatus {
    let time = FileTime(seconds: 0, nanoseconds: 0)
    var status = FileStatus(
      kind: kind, mode: mode,
      identity: FileIdentity(device: device, inode: 2, size: 0, modified: time, changed: time), links: 1,
      user: user, group: user)
    (status.mount, status.isImmutable) = (mount, isImmutable)
    return status
  }

  @Test func `are those that the kernel has for a rename`() {
    let package = Self.status(.directory)
    func obstacle(_ folder: FileStatus, _ old: FileStatus?, user: UInt32 = 1000) -> PublishObstacle? {
      PublishObstacle(changing: old, in: folder, of: package, by: user)
    }
    let (folder, file) = (Self.status(.directory), Self.status(.file))
    #expect(obstacle(folder, file) == nil && obstacle(folder, nil) == nil)
    // A bind mount has the device of its file system, and a file of overlayfs may have that of its layer.
    #expect(obstacle(Self.status(.directory, mount: 8), nil) == .otherMount)
    #expect(obstacle(folder, Self.status(.file, mount: 8)) == .otherMount)
    #expect(obstacle(folder, Self.status(.file, device: 2)) == nil)
    #expect(obstacle(Self.status(.directory, device: 2), nil) == .otherMount)
    #expect(obstacle(folder, Self.status(.file, device: 2, mount: nil)) == .otherMount)
    // Modes and flags.
    #expect(obstacle(Self.status(.directory, mode: 0o555), nil) == .readOnlyFolder)
    #expect(obstacle(Self.status(.directory, mode: 0o555), nil, user: 0) == nil)
    // An empty folder goes, whatever its own mode is.
    #expect(obstacle(folder, Self.status(.directory, mode: 0o555)) == nil)
    #expect(obstacle(Self.status(.directory, isImmutable: true), nil) == .immutableFolder)
    #expect(obstacle(folder, Self.status(.file, isImmutable: true)) == .immutable)
  }

  @Test func `are those that it has for attributes`() {
    func obstacle(_ folder: FileStatus, user: UInt32 = 1000) -> PublishObstacle? {
      PublishObstacle(settingAttributesOf: folder, by: user)
    }
    #expect(obstacle(Self.status(.directory)) == nil)
    #expect(obstacle(Self.status(.directory, user: 0)) == .otherOwner)
    #expect(obstacle(Self.status(.directory), user: 0) == nil)
    #expect(obstacle(Self.status(.directory, isImmutable: true), user: 0) == .immutable)
  }
}
