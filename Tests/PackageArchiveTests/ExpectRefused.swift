import FilePackages
import Foundation
import PackageArchive
import TestSupport
import Testing

/// Imports an archive that must fail, and checks that it left nothing: not in its place, not beside it, and not
/// outside the folder.
func expectRefused(
  _ bytes: [UInt8], _ code: ArchiveError.Code, naming entry: String? = nil,
  options: ImportOptions = ImportOptions(),
  location: SourceLocation = #_sourceLocation
) async throws {
  try await withFixture { fixture in
    try FileManager.default.createDirectory(at: fixture.url("inner/place"), withIntermediateDirectories: true)
    try Data("untouched".utf8).write(to: fixture.url("inner/canary"))
    try Data(bytes).write(to: fixture.url("hostile"))
    let before = try fixture.tree(".")
    let error = await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await PackageStore.importArchive(
        at: fixture.url("hostile"), to: fixture.url("inner/place/Trip.pack"), options: options)
    }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
    if let entry {
      #expect(error?.entry == entry, sourceLocation: location)
      #expect(error?.description.contains("'\(entry)'") == true, sourceLocation: location)
    }
    #expect(try fixture.tree(".") == before, sourceLocation: location)
    let dryRun = with(options) { $0.isDryRun = true }
    // A dry run and an import into memory refuse the same archives.
    await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await FileWrapper.importArchive(at: fixture.url("hostile"), options: options)
    }
    await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await PackageStore.importArchive(
        at: fixture.url("hostile"), to: fixture.url("inner/place/Trip.pack"), options: dryRun)
    }
  }
}
