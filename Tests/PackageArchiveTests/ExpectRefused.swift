import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

/// Imports an archive that must fail, and checks that it left nothing: not in its place, not beside it, and not
/// outside the folder.
func expectRefused(
  _ bytes: [UInt8], _ code: ArchiveError.Code, naming entry: String? = nil,
  options: ImportOptions = ImportOptions(),
  location: SourceLocation = #_sourceLocation
) async throws {
  try await withWorkshop { workshop in
    try FileManager.default.createDirectory(
      at: workshop.url("inner/place"), withIntermediateDirectories: true)
    try Data("untouched".utf8).write(to: workshop.url("inner/canary"))
    try Data(bytes).write(to: workshop.url("hostile"))
    let before = try workshop.tree(".")
    let error = await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await PackageStore.importArchive(
        at: workshop.url("hostile"), to: workshop.url("inner/place/Trip.pack"), options: options)
    }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
    if let entry {
      #expect(error?.entry == entry, sourceLocation: location)
      #expect(error?.description.contains("'\(entry)'") == true, sourceLocation: location)
    }
    #expect(try workshop.tree(".") == before, sourceLocation: location)
    // An import into memory refuses the same archives.
    await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await FileWrapper.importArchive(at: workshop.url("hostile"), options: options)
    }
    await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await ImportReport.checking(archiveAt: workshop.url("hostile"), options: options)
    }
  }
}
