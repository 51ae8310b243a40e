import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

/// The cost of large packages and large files.
///
/// Memory belongs to a process, so each test measures in its own process.
@Suite("A large package", .tags(.process, .scale), .serialized, .timeLimit(.minutes(60)), .temporaryDirectory)
struct FileWrapperLargeTests {
  // The cost of the listing: 15 bytes of name, 4 and 1 beside it, 10.5 for the index, and the spare room of growing
  // arrays. There are several trees, so that memory from before in the allocator does not count.
  @Test func `opens and lists 100,000 children in 120 bytes each`() async {
    await #expect(processExitsWith: .success) {
      try await withScratch { scratch in
        try makeFolder(at: scratch.path("A"), of: 100_000)
        let url = scratch.url("A")
        let before = try residentBytes()
        let trees = try (0..<4).map { _ in try FileWrapper(url: url) }
        for tree in trees {
          #expect(try tree.childCount() == 100_000)
          #expect(try tree.child(named: "missing") == nil)
        }
        let each = Double(try residentBytes() - before) / Double(trees.count * 100_000)
        #expect(each <= 120, "\(each) bytes a child")
        #expect(trees.allSatisfy { $0.materialized == 0 })
      }
    }
  }

  @Test func `makes objects only of the children that are touched`() throws {
    try makeFolder(at: scratch.path("A"), of: 10_000)
    let top = try FileWrapper(url: scratch.url("A"))
    #expect(try top.childNames().count == 10_000)
    #expect(top.materialized == 0)
    #expect(try top.child(named: "child-4321.txt")?.regularFileSize == 0)
    #expect(top.materialized == 1)
    #expect(top.addRegularFile(withContents: Data(), preferredFilename: "child-7.txt") != "child-7.txt")
    #expect(top.materialized == 2)
    #expect(try top.childCount() == 10_001)
    guard case .directory(let changes) = top.snapshot().root.content else {
      Issue.record("the snapshot is no directory")
      return
    }
    #expect(changes.count == 2)
  }

  @Test func `reads a file of 3 GiB in pieces, within a few MB of memory`() async {
    await #expect(processExitsWith: .success) {
      try await withScratch { scratch in
        let size = 3 << 30
        let number = open(scratch.path("sparse").string, O_CREAT | O_WRONLY, 0o600)
        defer { close(number) }
        try #require(number >= 0)
        guard ftruncate(number, off_t(size)) == 0, (try blocks(of: number)) < 1000 else { return }
        let wrapper = try FileWrapper(url: scratch.url("sparse"))
        let before = try residentBytes()
        var (read, largest, peak) = (0, 0, 0)
        try wrapper.forEachChunk { bytes in
          read += bytes.count
          largest = max(largest, bytes.count)
          if read % (256 << 20) == 0 { peak = max(peak, try residentBytes() - before) }
        }
        #expect(read == size && wrapper.regularFileSize == UInt64(size))
        #expect(largest <= 1 << 20)
        #expect(peak < 16 << 20, "\(peak) bytes more than before")
      }
    }
  }
}

private func makeFolder(at path: FilePath, of count: Int) throws {
  try #require(mkdir(path.string, 0o755) == 0)
  let directory = open(path.string, O_RDONLY | O_DIRECTORY)
  defer { close(directory) }
  for number in 0..<count {
    let file = openat(directory, "child-\(number).txt", O_CREAT | O_WRONLY | O_EXCL, 0o600)
    try #require(file >= 0)
    close(file)
  }
}

private func residentBytes() throws -> Int {
  let text = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  return try #require(pages) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

private func blocks(of number: Int32) throws -> Int {
  var status = stat()
  try #require(fstat(number, &status) == 0)
  return Int(status.st_blocks)
}
