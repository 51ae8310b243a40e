import Documents
import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The history of a document")
struct DocumentHistoryTests {
  private static let url = URL(filePath: "/Trip.pages")

  /// Makes a document, and saves it with each text: by `save()`, by an autosave, and with nothing to save.
  private static func saved(
    _ texts: [String], on disk: CrashDisk, _ change: (inout DocumentOptions<Pages>) -> Void = { _ in }
  ) async throws {
    let document = Document<Pages>(
      fileURL: url, content: Pages(["a.txt": "first"]), options: .quiet(nil, change), on: .test(disk))
    try await document.save(to: url, for: .forCreating)
    for (index, text) in texts.enumerated() {
      try await document.edit { $0["a.txt"] = text }
      if index.isMultiple(of: 2) { try await document.save() } else { try await document.autosave() }
      try await document.synchronize()
      try await document.save()
    }
    try await document.close()
  }

  private static func versions(on disk: CrashDisk) async throws -> [Pages] {
    let store = try await PackageStore.open("/Trip.pages", on: disk)
    var contents: [Pages] = []
    for version in try await store.versions() {
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      #expect(lost.isEmpty)
      contents.append(try Pages(configuration: .init(contentType: Pages.readableContentTypes[0], file: tree)))
    }
    return contents
  }

  @Test func `has a version for each save with something to save`() async throws {
    let disk = try CrashDisk()
    try await Self.saved(["second", "third", "last"], on: disk)
    #expect(
      try await Self.versions(on: disk)
        == [Pages(["a.txt": "third"]), Pages(["a.txt": "second"]), Pages(["a.txt": "first"])])
  }

  @Test func `is not begun if the options say so`() async throws {
    let disk = try CrashDisk()
    try await Self.saved(["second", "last"], on: disk) { $0.keepsHistory = false }
    #expect(try await Self.versions(on: disk) == [])
    // A history that has begun goes on.
    let store = try await PackageStore.open("/Trip.pages", on: disk)
    try await store.startKeepingHistory()
    try await store.close()
    let document = Document<Pages>(
      fileURL: Self.url, options: .quiet(nil) { $0.keepsHistory = false }, on: .test(disk))
    try await document.open()
    try await document.edit { $0["a.txt"] = "kept" }
    try await document.close()
    #expect(try await Self.versions(on: disk) == [Pages(["a.txt": "last"])])
  }

  @Test func `is none of a package without metadata`() async throws {
    let disk = try CrashDisk()
    try await Self.saved(["second", "last"], on: disk) { $0.writesMetadata = false }
    #expect(try await Self.versions(on: disk) == [])
    #expect(try disk.text("a.txt", in: "/Trip.pages") == "last")
  }
}
