import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A save whose disk fails", .tags(.crash, .scale))
struct FailingSaveTests {
  private static let codes: [Errno] = [
    .noSpace, .ioError, .permissionDenied, .readOnlyFileSystem, Errno(rawValue: 122), .tooManyOpenFiles,
  ]
  private static let edits: [Edit] = [
    .put("Text.txt", "new text"), .remove("Notes.txt"), .put("Images/3.png", "three"),
    .move("Images/1.png", "Moved.png"), .link("Link", to: "Text.txt"), .mode("Images/Deep", 0o700),
  ]
  private static let children = [
    "Text.txt", "Notes.txt", "Images/3.png", "Moved.png", "Images/1.png", "Link", "Images/Deep", "Images",
    "Images/2.png", "Data.bin", "Current", "Images/Deep/a.txt", "Images/Deep/b.txt", "Metadata.plist",
    ".docpkg",
  ]

  /// The error of the disk, and its moment.
  private struct Failure {
    var code: Errno
    /// Whether all requests fail from that moment on, rather than one.
    var isHard: Bool
    /// Whether the failure is at the store's second save, which finds all files open.
    var isLater = false

    func fault(_ number: Int) -> FaultyDisk.Fault { isHard ? .requests(from: number) : .request(number) }
  }

  /// Runs one save with one failing request, or with all later requests failing; returns whether any request failed.
  private static func run(
    _ disk: any Disk, _ folder: FilePath, _ failure: Failure, at number: Int
  ) async throws -> Bool {
    let path = folder.appending("Trip.pkg")
    let switchable = FaultyDisk(disk)
    let store = try await PackageStore.open(path, on: switchable.disk)
    if failure.isLater {
      try await store.save("Data.bin", "first")
    }
    try await store.edit(edits)
    let wanted = try await contents(store.tree)
    let old = try PackagePicture(of: path, on: disk)
    switchable.fail(failure.fault(number), with: failure.code)
    var report: SaveReport?
    var error: FilePackageError?
    do {
      report = try await store.save()
    } catch let failed {
      error = failed
    }
    let failures = switchable.stopFailing()
    let comment = "\(failure.code) at \(number): \(error?.description ?? "saved")"

    let beside = try disk.names(in: folder)
    if let error {
      try check(error, failure, comment)
      // Another program's package had a hidden folder for a moment.
      let isOurs = old.entries["Metadata.plist"] != nil
      func comparable(_ picture: PackagePicture) -> PackagePicture {
        isOurs ? picture.natural : picture.natural.undated(".")
      }
      if error.code != .indeterminate && !failure.isHard {
        #expect(beside == ["Trip.pkg"], "\(comment)")
        if !failure.isLater { try expectNoTraces(in: path, on: disk, "\(comment)") }
      }
      // If the disk stays broken, the new state may have to stay in its place.
      let reopened = try await PackageStore.open(path, on: disk)
      let found = comparable(try PackagePicture(of: path, on: disk))
      let isOld = found == comparable(old)
      if error.code == .indeterminate {
        let seen = try await contents(reopened.tree)
        #expect(isOld || seen == wanted, "\(comment)")
      } else {
        #expect(isOld, "\(comment)\n\(comparable(old).differences(in: found))")
      }
    } else {
      let seen = try await contents(PackageStore.open(path, on: disk).tree)
      #expect(seen == wanted, "\(comment)")
      if report?.warnings.contains(where: { $0.kind == .leftover }) != true {
        #expect(beside == ["Trip.pkg"], "\(comment)")
      }
      if failures == 0 {
        #expect(report?.isPublished == true && report?.warnings.isEmpty == true, "\(comment)")
      }
    }
    try await saveAgain(store, at: path, on: disk, comment)
    #expect(try disk.names(in: folder) == ["Trip.pkg"], "\(comment)")
    return failures > 0
  }

  private static func check(_ error: FilePackageError, _ failure: Failure, _ comment: String) throws {
    let text = error.description
    #expect(text.contains("'Trip.pkg'"), "\(comment)")
    #expect(text.contains(failure.code.description.dropFirst()), "\(comment)")
    #expect(error.operation == .save, "\(comment)")
    if let child = error.child {
      #expect(text.contains("'\(child)'") && children.contains(child), "\(comment)")
    }
    #expect(failure.isHard || error.code != .indeterminate, "\(comment)")
  }

  /// Saves the edits that the tree still has, and one more edit.
  private static func saveAgain(
    _ store: PackageStore, at path: FilePath, on disk: any Disk, _ comment: String
  ) async throws {
    do {
      try await store.saveAndClose("Text.txt", "newest text")
    } catch {
      Issue.record("\(comment)\nand then: \(error)")
      return
    }
    try expectNoTraces(in: path, on: disk, "\(comment)")
    let after = try await PackageStore.open(path, on: disk)
    let newest = try await contents(store.tree)
    let seen = try await contents(after.tree)
    #expect(seen == newest, "\(comment)")
    try await after.checkedMetadata()
  }

  /// Returns the children that an application sees in a tree.
  private static func contents(_ tree: FileWrapper) throws -> [String: String] {
    var found: [String: String] = [:]
    for (name, child) in try tree.children() where ![".docpkg", "Metadata.plist"].contains(name) {
      if child.isDirectory {
        found[name] = "folder"
        for (below, text) in try contents(child) { found["\(name)/\(below)"] = text }
      } else if child.isSymbolicLink {
        found[name] = "link to \(FileName(bytes: try child.linkDestination()).string)"
      } else {
        found[name] = String(decoding: try child.contents(), as: UTF8.self)
      }
    }
    return found
  }

  /// Runs a save for each request of it that can fail, each in a package of its own.
  private static func runAll(_ failure: Failure, metadata: Bool) async throws {
    var number = 0
    while true {
      let disk = try await CrashCheck.disk(StagedCrashTests.tree, metadata: metadata)
      guard try await run(disk, "/", failure, at: number) else { break }
      #expect(disk.openDescriptors == 0)
      number += 1
    }
    #expect(number > 100)
  }

  @Test(arguments: codes)
  func `leaves the old package or reports success with the new one`(code: Errno) async throws {
    // Up to the commit nothing under a visible name changes (JS1).
    try await Self.runAll(Failure(code: code, isHard: false), metadata: true)
  }

  @Test(arguments: [Errno.noSpace, .ioError])
  func `leaves the old package when nothing succeeds any more`(code: Errno) async throws {
    try await Self.runAll(Failure(code: code, isHard: true), metadata: true)
  }

  @Test func `leaves a package of another program's as it was`() async throws {
    for isHard in [false, true] {
      try await Self.runAll(Failure(code: .noSpace, isHard: isHard), metadata: false)
    }
  }

  @Test func `leaves the state of the save before`() async throws {
    for isHard in [false, true] {
      try await Self.runAll(Failure(code: .ioError, isHard: isHard, isLater: true), metadata: true)
    }
  }

  @Test func `says what it needs if the document's own folder cannot be changed`() async throws {
    let disk = try CrashDisk(.package(["Text.txt": "old"]))
    let faulty = FaultyDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    try await store.put("Text.txt", "new")
    let before = disk.tree
    faulty.fail(.operation(.makeDirectory), with: .permissionDenied)
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(
      error?.description
        == "The document 'Trip.pkg' could not be saved: permission denied (making or opening '.docpkg' in it, "
        + "which every save needs). The document on disk is unchanged. Allow writing, or save it to another place."
    )
    #expect(disk.tree == before)
    // The edit is still in the tree.
    faulty.stopFailing()
    try await store.save()
    #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "new")
  }

  @Test func `succeeds after its metadata could not be read for a moment`() async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "old"])
    let whole = String(decoding: try disk.contents(of: "/Trip.pkg/Metadata.plist"), as: UTF8.self)
    // Another program is in the middle of writing them.
    try OutsideEditTests.write("<?xml", to: "Metadata.plist", in: CrashCheck.path, on: disk)
    try await store.put("Text.txt", "new")
    await expect(\FilePackageError.code, .metadataDamaged) { try await store.save() }
    try OutsideEditTests.write(whole, to: "Metadata.plist", in: CrashCheck.path, on: disk)
    try await store.saveAndClose()
    #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "new")
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
  }
}
