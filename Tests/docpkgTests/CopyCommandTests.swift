import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg copy", .tags(.process), .temporaryDirectory)
struct CopyCommandTests {
  @Test func `puts the copy into a folder, as cp does, never into a package`() throws {
    let tree: TestTree = ["a": "1"]
    try write(tree, to: "T.textbundle")
    try write(tree, to: "Other.textbundle")
    try write([:], to: "Out")
    try output("copy", "T.textbundle", "Out")
    #expect(try docpkg("copy", "T.textbundle/", "Out/").status == 2)
    #expect(try docpkg("copy", "T.textbundle", "Other.textbundle").status == 2)
    #expect(try names() == ["T.textbundle", "Other.textbundle", "Out"])
    #expect(try TestTree.read(folder.appending("Out"), of: PosixDisk()) == ["T.textbundle": tree])
    #expect(try TestTree.read(folder.appending("Other.textbundle"), of: PosixDisk()) == tree)
    try expectMessage(["copy", "T.textbundle", "T.textbundle/inside"], "in the original document")
    #expect(try names(in: "T.textbundle") == ["a"])
  }

  @Test func `says what was written, and what was left out`() throws {
    try write(["a": "12345", "b": "1"], to: "T.textbundle")
    #expect(mkfifo(folder.appending("T.textbundle/pipe").string, 0o600) == 0)
    let run = try docpkg("copy", "T.textbundle", "Copy.textbundle")
    #expect(run.status == 0 && run.errors.isEmpty)
    // If the disk can share blocks, the copy writes nothing.
    let isWritten = run.output.contains("wrote a, b (6 B), left alone: pipe\n")
    #expect(
      isWritten || run.output.contains("wrote 0 (0 B), reused 2 (6 B), left alone: pipe\n"), "\(run.output)"
    )
    #expect(
      try TestTree.read(folder.appending("Copy.textbundle"), of: PosixDisk()) == ["a": "12345", "b": "1"])
  }

  @Test func `sizes are taken with a unit`() throws {
    try write(["a": .file([UInt8](repeating: 7, count: 1500))], to: "T.textbundle")
    try output("export", "T.textbundle", "a.tar")
    for (size, status) in [
      ("1K", 2), ("1.4KB", 2), ("1.5kB", 0), ("2KiB", 0), ("1500", 0), ("1499B", 2), ("1T", 0),
      ("1X", 64), ("K", 64), ("1.5", 64), ("-1", 64), ("99999999P", 64),
    ] {
      let run = try docpkg("import", "a.tar", "Back \(size)", "--max-bytes=\(size)")
      #expect(run.status == Int32(status), "\(size): \(run.errors)")
    }
  }
}
