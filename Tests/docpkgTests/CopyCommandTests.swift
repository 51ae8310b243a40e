import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg copy", .tags(.process))
struct CopyCommandTests {
  private func names(in folder: FilePath) throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: folder.string))
  }

  private func made(_ tree: TestTree, named name: FileName, in folder: FilePath) throws {
    try tree.write(to: name, in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
  }

  @Test func `puts the copy into a folder, as cp does, never into a package`() async throws {
    try await withTemporaryDirectory { folder in
      let tree: TestTree = ["a": "1"]
      try made(tree, named: "T.textbundle", in: folder)
      try made(tree, named: "Other.textbundle", in: folder)
      try made([:], named: "Out", in: folder)
      #expect(try docpkg("copy", "T.textbundle", "Out", in: folder).status == 0)
      #expect(try docpkg("copy", "T.textbundle/", "Out/", in: folder).status == 2)
      #expect(try docpkg("copy", "T.textbundle", "Other.textbundle", in: folder).status == 2)
      #expect(try names(in: folder) == ["T.textbundle", "Other.textbundle", "Out"])
      #expect(try TestTree.read(folder.appending("Out"), of: PosixDisk()) == ["T.textbundle": tree])
      #expect(try TestTree.read(folder.appending("Other.textbundle"), of: PosixDisk()) == tree)
      let within = try docpkg("copy", "T.textbundle", "T.textbundle/inside", in: folder)
      #expect(within.status == 2 && within.errors.contains("in the original document"))
      #expect(try names(in: folder.appending("T.textbundle")) == ["a"])
    }
  }

  @Test func `says what was written, and what was left out`() async throws {
    try await withTemporaryDirectory { folder in
      try made(["a": "12345", "b": "1"], named: "T.textbundle", in: folder)
      #expect(mkfifo(folder.appending("T.textbundle/pipe").string, 0o600) == 0)
      let run = try docpkg("copy", "T.textbundle", "Copy.textbundle", in: folder)
      #expect(run.status == 0 && run.errors.isEmpty)
      // If the disk can share blocks, the copy writes nothing.
      let isWritten = run.output.contains("wrote a, b (6 B), left alone: pipe\n")
      #expect(
        isWritten || run.output.contains("wrote 0 (0 B), reused 2 (6 B), left alone: pipe\n"), "\(run.output)"
      )
      #expect(
        try TestTree.read(folder.appending("Copy.textbundle"), of: PosixDisk()) == ["a": "12345", "b": "1"])
    }
  }

  @Test func `sizes are taken with a unit`() async throws {
    try await withTemporaryDirectory { folder in
      try made(["a": .file([UInt8](repeating: 7, count: 1500))], named: "T.textbundle", in: folder)
      #expect(try docpkg("export", "T.textbundle", "a.tar", in: folder).status == 0)
      for (size, status) in [
        ("1K", 2), ("1.4KB", 2), ("1.5kB", 0), ("2KiB", 0), ("1500", 0), ("1499B", 2), ("1T", 0),
        ("1X", 64), ("K", 64), ("1.5", 64), ("-1", 64), ("99999999P", 64),
      ] {
        let run = try docpkg("import", "a.tar", "Back \(size)", "--max-bytes=\(size)", in: folder)
        #expect(run.status == Int32(status), "\(size): \(run.errors)")
      }
    }
  }
}
