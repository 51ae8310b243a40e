import Documents
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("A snapshot of an open document", .temporaryDirectory)
struct DocumentSnapshotTests {
  @Test func `has unsaved edits, and is exported while edits go on`() async throws {
    @Sendable func url(_ name: String) -> URL { URL(filePath: folder.appending(name).string) }
    let document = try await Document.create(
      Pages(["a.txt": "one", "b.txt": "two"]), at: url("Trip.pages"), options: .quiet(nil))
    try await document.edit { $0["a.txt"] = "edited" }
    let report = try await document.withSnapshot { snapshot in
      // This edit is not in the snapshot, and its save waits for the export.
      try await document.edit { $0["b.txt"] = "later" }
      let saving = Task { try await document.save() }
      let report = try await snapshot.export(to: url("Trip.zip"))
      return (report, saving)
    }
    _ = try await report.1.value
    #expect(try await document.content == Pages(["a.txt": "edited", "b.txt": "later"]))
    try await document.close()
    _ = try await PackageStore.importArchive(at: url("Trip.zip"), to: url("Copy.pages"))
    let imported = try await PackageStore.open(at: url("Copy.pages"))
    #expect(try await imported.content(as: Pages.self) == Pages(["a.txt": "edited", "b.txt": "two"]))
    try await imported.close()
    #expect(
      try await Document<Pages>.open(at: url("Trip.pages")).content
        == Pages(["a.txt": "edited", "b.txt": "later"]))
  }

  @Test func `is none of a closed document, or of a content that refuses`() async throws {
    let url = URL(filePath: folder.appending("Trip.pages").string)
    let document = try await Document.create(Pages(["a.txt": "one"]), at: url, options: .quiet(nil))
    try await document.edit { $0["a.txt"] = Pages.poison }
    let refused = await #expect(throws: DocumentError.self) { try await document.withSnapshot { _ in } }
    #expect(refused?.code == .content && refused?.cause is Pages.NotText)
    try await document.undo()
    try await document.close()
    await expect(\DocumentError.code, .closed) { try await document.withSnapshot { _ in } }
  }
}
