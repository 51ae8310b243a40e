import PackageArchive
import Testing

@Suite("The format of an archive")
struct ArchiveFormatTests {
  @Test(arguments: [
    ("Trip.zip", ArchiveFormat.zip), ("Trip.imageNotes.tar.zst", .tarZstd), ("a.TGZ", .tarGzip),
    ("a.tar", .tar),
    ("a.tar.xz", .tarXZ), ("a.b.7z", .sevenZip), ("a.txz", .tarXZ), ("a.tzst", .tarZstd),
    ("a.textpack", .zip),
  ])
  func `is told from the end of a name`(name: String, format: ArchiveFormat) {
    #expect(ArchiveFormat(filename: name) == format)
  }

  @Test(arguments: ["zip", ".zip", "Trip", "Trip.imageNotes", "Trip.zst", "zip.txt"])
  func `is not told from other names`(name: String) {
    #expect(ArchiveFormat(filename: name) == nil)
  }

  @Test(arguments: ["tar.bz2", "tar.lz4", "cpio", "iso"])
  func `is none that a program of its own unpacks`(name: String) {
    #expect(ArchiveFormat(named: name) == nil)
    #expect(ArchiveFormat(filename: "Trip.\(name)") == nil)
  }

  @Test func `has a name for each`() {
    for format in ArchiveFormat.allCases { #expect(ArchiveFormat(named: format.rawValue) == format) }
    #expect(ArchiveFormat(named: "rar") == nil)
  }
}
