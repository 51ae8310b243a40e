import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Files that a save reads afterwards")
struct WrittenFilesTests {
  @Test func `are in a folder without a lock, which a write of a tree would wait for`() throws {
    let disk = PosixDisk()
    let path: FilePath
    do {
      let files = try WrittenFiles.folder(beside: nil)
      path = files.path
      let folder = try disk.openDirectory(at: path)
      #expect(try disk.lock(folder, .exclusive))
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
}
