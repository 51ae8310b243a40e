import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A staged save whose disk fails")
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
  ]

  /// One save with one failure, or all requests failing from there on. Returns whether any request failed.
  private static func run(
    _ disk: any Disk, _ folder: FilePath, _ fault: FaultyDisk.Fault, _ code: Errno, isHard: Bool
  ) async throws -> Bool {
    let path = folder.appending("Trip.pkg")
    let switchable = SwitchableDisk(disk)
    let store = try await PackageStore.open(path, on: switchable.disk)
    try await store.edit(edits)
    let wanted = try await contents(store.tree)
    let old = try PackagePicture(of: path, on: disk)
    switchable.fail(fault, with: code)
    var report: SaveReport?
    var failure: FilePackageError?
    do { report = try await store.save() } catch { failure = error }
    let failures = switchable.stopFailing()

    let beside = try disk.names(in: folder)
    if let failure {
      let text = failure.description
      #expect(text.contains("'Trip.pkg'"))
      #expect(text.contains(code.description.dropFirst()), "\(text)")
      #expect(failure.operation == .save)
      if let child = failure.child {
        #expect(text.contains("'\(child)'") && children.contains(child), "\(text)")
      }
      #expect(isHard || failure.code != .indeterminate, "\(text)")
      // On a disk that stays broken, the new state may have to stay where it is.
      let reopened = try await PackageStore.open(path, on: disk)
      let found = try PackagePicture(of: path, on: disk)
      if failure.code == .indeterminate {
        let seen = try await contents(reopened.tree)
        #expect(found == old || seen == wanted, "\(text)")
      } else {
        #expect(found == old, "\(text)\n\(old.differences(in: found))")
        if !isHard { #expect(beside == ["Trip.pkg"], "\(text)") }
      }
    } else {
      let seen = try await contents(PackageStore.open(path, on: disk).tree)
      #expect(seen == wanted, "\(code) \(fault)")
      if report?.leftover == nil { #expect(beside == ["Trip.pkg"], "\(code) \(fault)") }
    }
    // The tree still has the edits, and another one on top of them is saved, too.
    try await store.put("Text.txt", "newest text")
    try await store.save()
    #expect(try disk.names(in: folder) == ["Trip.pkg"])
    let after = try await PackageStore.open(path, on: disk)
    let newest = try await contents(store.tree)
    let seen = try await contents(after.tree)
    #expect(seen == newest, "\(code) \(fault)")
    let summary = try await ContentSummary(reading: after.tree.snapshot())
    #expect(try await after.metadata()?.contentDigest == summary.digest.hexadecimal, "\(code) \(fault)")
    return failures > 0
  }

  /// What an application sees of a tree.
  private static func contents(_ tree: FileWrapper) throws -> [String: String] {
    var found: [String: String] = [:]
    for (name, child) in try tree.children() where name != "Metadata.plist" {
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

  @Test(arguments: codes, [false, true])
  func `leaves the old package or reports success with the new one`(code: Errno, isHard: Bool) async throws {
    var number = 0
    while true {
      let disk = try await CrashCheck.disk(StagedCrashTests.tree, metadata: true)
      let fault: FaultyDisk.Fault = isHard ? .requests(from: number) : .request(number)
      guard try await Self.run(disk, "/", fault, code, isHard: isHard) else { break }
      #expect(disk.openDescriptors == 0)
      number += 1
    }
    print("failing saves: \(number) points, \(code)\(isHard ? " for ever" : "")")
    #expect(number > 100)
  }

  @Test(arguments: [false, true])
  func `leaves the old package or the new one on the real disk`(isHard: Bool) async throws {
    var (number, isDone) = (0, false)
    while !isDone {
      let fault: FaultyDisk.Fault = isHard ? .requests(from: number) : .request(number)
      let code = Self.codes[number % Self.codes.count]
      isDone = try await !withTemporaryDirectory { folder in
        let disk = PosixDisk()
        _ = try await PackageStore.create(
          StagedCrashTests.tree.wrapper, folder.appending("Trip.pkg"), contentType: "com.example.trip",
          on: disk)
        return try await Self.run(disk, folder, fault, code, isHard: isHard)
      }
      number += 1
    }
    print("failing saves on the real disk: \(number - 1) points\(isHard ? ", for ever" : "")")
    #expect(number > 100)
  }
}
