import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Files that a save reads afterwards", .temporaryDirectory)
struct WrittenFilesTests {
  @Test func `are in a folder with a lock that no sweep gets, and that no write of a tree waits for`() throws
  {
    let disk = PosixDisk()
    let path: FilePath
    do {
      let files = try WrittenFiles.folder(beside: nil)
      path = files.path
      let folder = try disk.openDirectory(at: path)
      #expect(try !disk.lock(folder, .exclusive))
      #expect(try disk.lock(folder, .shared))
      // Another folder is no leftover of this one.
      #expect(try WrittenFiles.folder(beside: nil).path != path)
      let tree = FileWrapper(directoryWithFileWrappers: [:])
      tree.addRegularFile(withContents: Data("one".utf8), preferredFilename: "Text.txt")
      _ = try disk.lock(folder, .none)
      try files.write(tree, as: "Copy")
      #expect(try files.read("Copy").child(named: "Text.txt")?.contents() == Data("one".utf8))
    }
    #expect(throws: SystemError.self) { _ = try disk.openDirectory(at: path) }
  }

  @Test func `find a folder each, whatever other writers take for a leftover`() async throws {
    let document = FilePath(scratch.url("A.pkg").path)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          // Without a place beside the document a folder would be elsewhere.
          try (0..<200).count { _ in
            try !WrittenFiles.folder(beside: document).path.starts(with: document.removingLastComponent())
          }
        }
      }
      for try await elsewhere in group { #expect(elsewhere == 0) }
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: document.removingLastComponent().string) == [])
  }
}
