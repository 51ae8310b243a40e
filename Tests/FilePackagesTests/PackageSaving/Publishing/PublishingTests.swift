import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A save that is committed", .tags(.crash), .temporaryDirectory)
struct PublishingTests {
  private static let tree: TestTree = [
    "Text.txt": "old", "Data.bin": "data", "Images": ["1.png": "one", "2.png": "two"],
  ]

  private static func text(_ name: FileName, on disk: any Disk) throws -> String {
    String(decoding: try disk.contents(of: name, in: disk.openDirectory(at: CrashCheck.path)), as: UTF8.self)
  }

  // MARK: Beside other programs

  @Test func `is in memory again if another program takes its record away`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let faulty = FaultyDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    try await store.put("Text.txt", "first")
    try await store.save()
    let log = try disk.contents(of: "/Trip.pkg/.docpkg/log")
    try await store.put("Text.txt", "second")
    faulty.fail(.operation(.exchange), with: .noSpace)
    #expect(try await !store.save().isPublished)
    faulty.stopFailing()
    try disk.rewrite("log", log, in: "/Trip.pkg/.docpkg")
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.publish() }
    try await store.save()
    #expect(try Self.text("Text.txt", on: disk) == "second")
    try await store.close()
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
  }

  @Test func `has metadata that another program wrote at the last moment as a conflict version`() async throws
  {
    let base = try await CrashCheck.disk(Self.tree, metadata: true)
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .exchange, event.name == PackageLayout.metadata else { return }
      // The expectations below find errors of the other program's change.
      try? OutsideEditTests.write("theirs", to: PackageLayout.metadata, in: CrashCheck.path, on: base)
    }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.put("Text.txt", "new")
    try await store.save()
    let versions = try await store.conflictVersions()
    #expect(versions.map(\.differences) == [["Metadata.plist"]])
    try await store.resolveConflicts([], keeping: nil)
    #expect(try await store.conflictVersions().count == 1)
    try await store.resolveConflicts(versions, keeping: nil)
    #expect(try await store.conflictVersions().isEmpty)
  }

  @Test(arguments: [[], .keepsHistory] as [PackageStore.SavingOptions])
  func
    `has what another program wrote at the last moment as a conflict version where names cannot be exchanged`(
      options: PackageStore.SavingOptions
    ) async throws
  {
    let base = try await CrashCheck.disk(
      Self.tree, metadata: true, options: with(.init()) { $0.supportsExchange = false })
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      // The expectations below find errors of the other program's change.
      guard event.operation == .exchange, event.name == "Text.txt" else { return }
      try? OutsideEditTests.write("theirs", to: "Text.txt", in: CrashCheck.path, on: base)
    }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await store.save("Text.txt", "ours", options: options).conflicts == ["Text.txt"])
    let version = try #require(await store.conflictVersions().first)
    #expect(try await store.contents(ofConflict: version.id).regularFile(at: "Text.txt").text == "theirs")
    try await store.close()
    #expect(try base.contents(of: "/Trip.pkg/Text.txt") == Array("ours".utf8))
  }

  // MARK: One after the other

  @Test func `comes to its names before the next one is committed`() async throws {
    // A record is written only after the one before it is published (S1, W1).
    let disk = CountingDisk(try await CrashCheck.disk(Self.tree, metadata: true))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    var before = try await store.metadata()
    for number in 1...20 {
      let report = try await store.save("Text.txt", "version \(number)", options: .returnsAtCommit)
      #expect(!report.isPublished && report.warnings.isEmpty)
      #expect(report.generation == number + 1)
      // The first save makes the log.
      #expect(report.synchronizations == (number == 1 ? 2 : 1))
      #expect(disk.counts[.exchange] == 2 * (number - 1))
      #expect(try Self.text("Text.txt", on: disk) == (number == 1 ? "old" : "version \(number - 1)"))
      let visible = try await store.metadata()
      if number > 1 { #expect(visible?.parentRevisions == before.map { [$0.revision] }) }
      before = visible
    }
    try await store.publish()
    #expect(try Self.text("Text.txt", on: disk) == "version 20")
    try await store.close()
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
  }

  @Test func `is published before a plan is made`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    try await store.save("Text.txt", "saved", options: .returnsAtCommit)
    #expect(try await !store.hasUnsavedEdits())
    #expect(try Self.text("Text.txt", on: disk) == "saved")
    try await store.save(options: .returnsAtCommit)
    try await store.save("Text.txt", "old", options: .returnsAtCommit)
    // An edit that takes the saved change back is an edit.
    try await store.put("Text.txt", "saved")
    #expect(try await store.plan().lines.contains("write Text.txt (5 B)"))
    #expect(try Self.text("Text.txt", on: disk) == "old")
  }

  @Test func `is published first where the next one has another tree or files that move`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    try await store.save([.move("Images/1.png", "Moved.png")], options: .returnsAtCommit)
    #expect(try Self.text("Text.txt", on: disk) == "old")
    try await store.save("Text.txt", "after the move", options: .returnsAtCommit)
    #expect(try Self.text("Moved.png", on: disk) == "one")
    // Another tree has no changes of the waiting save.
    try await store.save("Text.txt", "again", options: .returnsAtCommit)
    try await store.save(FileWrapper(directoryWithFileWrappers: [:]), options: .returnsAtCommit)
    #expect(try Self.text("Text.txt", on: disk) == "again")
    try await store.close()
    #expect(try disk.names(in: CrashCheck.path) == [".docpkg", "Metadata.plist"])
  }

  /// If a save fails over one that waits, the disk has the waiting save or the new one.
  @Test(arguments: [Errno.ioError, .noSpace], [false, true])
  func `is never lost by the failure of the next one`(code: Errno, isHard: Bool) async throws {
    // The save fails only after the log's name is gone, durably (S2).
    var (number, failures) = (0, 1)
    while failures > 0 {
      let disk = try await CrashCheck.disk(Self.tree, metadata: true)
      let switchable = FaultyDisk(disk)
      let store = try await PackageStore.open(CrashCheck.path, on: switchable.disk)
      try await store.edit([.put("Text.txt", "acknowledged"), .put("Images/1.png", "acknowledged")])
      try await store.save(options: .returnsAtCommit)
      try await store.edit([.put("Text.txt", "next"), .remove("Data.bin")])
      switchable.fail(isHard ? .requests(from: number) : .request(number), with: code)
      var failed: FilePackageError?
      do {
        try await store.save(options: number % 2 == 0 ? .returnsAtCommit : [])
      } catch {
        failed = error
      }
      failures = switchable.stopFailing()
      // Another program comes while the store still exists, as after a crash.
      let comment = "\(code) at \(number)\(isHard ? " for ever" : ""): \(failed?.description ?? "saved")"
      let found = try await PackageStore.open(CrashCheck.path, on: try await disk.afterKill())
      let seen = String(
        decoding: try await found.tree.child(named: "Text.txt")?.contents() ?? Data(), as: UTF8.self)
      let one = try await found.tree.descendant(at: "Images/1.png")?.contents()
      #expect(one == Data("acknowledged".utf8), "\(comment)")
      switch failed?.code {
      case nil: #expect(seen == "next", "\(comment)")
      case .indeterminate: #expect(["acknowledged", "next"].contains(seen), "\(comment)")
      default: #expect(seen == "acknowledged", "\(comment)")
      }
      // The edits are still in the tree.
      try await store.saveAndClose()
      #expect(try Self.text("Text.txt", on: disk) == "next", "\(comment)")
      #expect(try !disk.names(in: CrashCheck.path).contains("Data.bin"), "\(comment)")
      try expectNoTraces(in: CrashCheck.path, on: disk, "\(comment)")
      number += 1
    }
    #expect(number > 15)
  }

  // MARK: Nearly full

  @Test(arguments: [DiskRoom(bytes: 1 << 20), DiskRoom(files: 10), DiskRoom(bytes: 1 << 30, files: 1 << 20)])
  func `is of what was made before where the disk is nearly full`(room: DiskRoom) async throws {
    // The files are made before the commit only if the disk is nearly full (JS2).
    let options = with(CrashDisk.Options()) { $0.room = room }
    let isFull = room.bytes != 1 << 30
    let disk = CountingDisk(try await CrashCheck.disk(Self.tree, metadata: true, options: options))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", "first")
    let before = disk.counts
    try await store.save("Text.txt", "second", options: .returnsAtCommit)
    #expect(disk.counts[.createFile] - before[.createFile] == (isFull ? 2 : 0))
    try await store.publish()
    #expect(disk.counts[.createFile] - before[.createFile] == 2)
    #expect(try Self.text("Text.txt", on: disk) == "second")
    try await store.close()
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
  }

  // MARK: By itself

  @Test func `comes to its names by itself, and to rest`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let store = try await PackageStore.open(
      CrashCheck.path, on: disk,
      delays: .init(publishes: true, checkpoint: .milliseconds(20)))
    try await store.save("Text.txt", "new", options: .returnsAtCommit)
    try await waitUntil("publishing") { try Self.text("Text.txt", on: disk) == "new" }
    // The store syncs the log's marks when no more saves come.
    try await waitUntil("publishing") { disk.syncPoints.last.map { $0.name == "log" && $0.isOfData } == true }
    #expect(try PackageStore.recoveryReport(CrashCheck.path, on: disk).log == .published)
    try await store.close()
  }

  // MARK: Edits of other programs

  /// A program that writes a file anew empties it first: its next bytes must not go to a removed file.
  @Test func `keeps a file that another program has just emptied`() async throws {
    let base = try await CrashCheck.disk(Self.tree, metadata: true)
    let open = Mutex<OpenedFile?>(nil)
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .exchange, open.withLock({ $0 == nil }) else { return }
      let file = try base.openFileForWriting("Text.txt", in: base.openDirectory(at: CrashCheck.path))
      try base.resize(file, to: 0)
      let opened = OpenedFile(file)
      open.withLock { $0 = opened }
    }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await store.save("Text.txt", "ours").conflicts == ["Text.txt"])
    #expect(try Self.text("Text.txt", on: base) == "ours")
    let opened = try #require(open.withLock { $0 })
    try base.writeAll(Array("theirs".utf8), to: opened.file)
    try await store.close()
    let kept = try PackagePicture(of: CrashCheck.path, on: base).entries
      .filter { $0.key.hasPrefix(".docpkg/conflicts/") && $0.key.hasSuffix("/Text.txt") }
    #expect(kept.values.map(\.bytes) == [Array("theirs".utf8)])
  }

  /// The first edit comes out of the exchange, and the second one stands under the name.
  ///
  /// The process ends before it can set aside either.
  @Test(arguments: [Array("second".utf8), nil])
  func `keeps an edit from before it was published and one from after that`(second: [UInt8]?) async throws {
    let base = try await CrashCheck.disk(Self.tree, metadata: true)
    let isExchanged = Mutex(false)
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      if isExchanged.withLock({ $0 }) { throw SystemError("write", code: .ioError) }
      guard event.operation == .exchange, event.name == "Text.txt" else { return }
      let file = try base.openFileForWriting("Text.txt", in: base.openDirectory(at: CrashCheck.path))
      try base.resize(file, to: 0)
      try base.writeAll(Array("the first".utf8), to: file)
      isExchanged.withLock { $0 = true }
    }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await !store.save("Text.txt", "ours").isPublished)
    let killed = try await base.afterKill()
    let text = try killed.openFileForWriting("Text.txt", in: killed.openDirectory(at: CrashCheck.path))
    if let second {
      try killed.resize(text, to: 0)
      try killed.writeAll(second, to: text)
    } else {
      try killed.setMode(0o600, of: text)
    }
    let next = try await PackageStore.open(CrashCheck.path, on: killed)
    #expect(await next.recoveryConflicts == ["Text.txt"])
    try await next.close()
    let left = try PackagePicture(of: CrashCheck.path, on: killed).entries
      .filter { $0.key.hasSuffix("Text.txt") }.values.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(left.sorted() == (second == nil ? ["ours", "the first"] : ["ours", "second", "the first"]))
  }

  /// One program removes the file at the moment of the exchange, and another one makes it again just after that.
  @Test func `keeps a file that another program has just made in the place of a removed one`() async throws {
    let base = try await CrashCheck.disk(Self.tree, metadata: true)
    let next = Mutex<DiskOperation?>(.exchange)
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.name == "Text.txt", event.operation == next.withLock({ $0 }) else { return }
      let folder = try base.openDirectory(at: CrashCheck.path)
      if event.operation == .exchange {
        try base.removeFile("Text.txt", in: folder)
      } else {
        try base.writeAll(Array("theirs".utf8), to: base.createFile("Text.txt", in: folder, mode: 0o666))
      }
      next.withLock { $0 = event.operation == .exchange ? .rename : nil }
    }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await store.save("Text.txt", "ours").conflicts == ["Text.txt"])
    #expect(try Self.text("Text.txt", on: base) == "ours")
    try await store.close()
    let kept = try PackagePicture(of: CrashCheck.path, on: base).entries
      .filter { $0.key.hasPrefix(".docpkg/conflicts/") && $0.key.hasSuffix("/Text.txt") }
    #expect(kept.values.map(\.bytes) == [Array("theirs".utf8)])
  }

  // MARK: Attributes from a user

  @Test(arguments: [false, true])
  func `leaves a file its attributes, also when it is published by the next program`(
    isCutShort: Bool
  ) async throws {
    let disk = PosixDisk()
    let path = folder.appending("Trip.pkg")
    try await Self.tree.create(path, on: disk)
    let package = try disk.openDirectory(at: path)
    let old = try disk.openFile("Text.txt", in: package)
    try disk.setExtendedAttribute("user.tag", Array("red".utf8), of: old)
    try disk.setMode(0o640, of: old)
    let isSuperuser = try disk.status(of: old).user == 0
    if isSuperuser { try disk.setOwner(user: 65534, group: 65534, of: old) }
    let before = try disk.status(of: old)
    var store: PackageStore? = try await PackageStore.open(path, on: disk)
    try await store?.put("Text.txt", "new")
    try await store?.save(options: isCutShort ? .returnsAtCommit : [])
    if isCutShort {
      // The store is released without being closed: the committed save waits for the next opener.
      store = nil
      #expect(try disk.status(of: "Text.txt", in: package).identity.inode == before.identity.inode)
      store = try await PackageStore.open(path, on: disk)
    }
    let new = try disk.openFile("Text.txt", in: package)
    let after = try disk.status(of: new)
    #expect(after.identity.inode != before.identity.inode)
    #expect(after.mode == before.mode && after.user == before.user && after.group == before.group)
    #expect(try disk.extendedAttributes(of: new) == ["user.tag": Array("red".utf8)])
    try await store?.close()
  }
}

/// A file that another program has open.
private final class OpenedFile: Sendable {
  let file: OwnedDescriptor

  init(_ file: consuming OwnedDescriptor) { self.file = file }
}

extension CrashDisk {
  /// Returns the disk that the next program finds after a kill of this one.
  fileprivate func afterKill() async throws -> CrashDisk {
    let points = await CrashDisk.crashPoints(of: self) {}
    return try #require(points.last).afterKill()
  }
}
