import CLinux
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
package import SystemPackage

/// A benchmark of the opening of a package and the listing of its children, in one folder for all ways.
package struct OpenBenchmark {
  package var schedule = RoundRobin()

  package init() {}

  /// The names of the ways, in the order of the results.
  package static let strategies = ["tree", "store", "getdents", "ls", "find"]

  /// Measures with a package of `children` files of `size` bytes.
  ///
  /// - Throws: `BenchmarkError` as `SaveBenchmark.run(_:in:progress:)`.
  package func run(
    children: Int, size: Int, strategies: [String] = Self.strategies, in folder: FilePath,
    progress: (String) -> Void = { _ in }
  ) async throws(BenchmarkError) -> [Measurement] {
    var work = Work("open", children: children, size: size)
    work.cold = schedule.isCold
    let model = ModelPackage(childCount: children, changedCount: 0, size: size)
    return try await BenchmarkFolder.with(in: folder, progress) { (made) throws(SystemError) in
      progress("making \(children) children")
      let place = SavePlace(folder: try made.folder("Open"), disk: PosixDisk())
      var problem: (any Error)?
      do {
        try PackageFolder(place: place).make(model)
      } catch let error as SystemError {
        throw error
      } catch {
        problem = error
      }
      sync()
      let path = place.folder.appending(PackageFolder.name.string)
      var trials: [Trial] = []
      for name in strategies {
        trials.append(
          await Trial(Measurement(work, strategy: name)) {
            if let problem { throw problem }
            return OpenWorkload(name, path, count: children + 1, at: place)
          })
      }
      return await schedule.run(trials, in: made, progress)
    }
  }
}

/// One way to list the children of a package.
private final class OpenWorkload: Workload {
  private let name: String
  private let path: FilePath
  private let place: SavePlace
  private let expected: Int
  private var found = 0
  private var tree: FileWrapper?
  private var store: PackageStore?
  private var bytesPerChild: Double?

  init(_ name: String, _ path: FilePath, count: Int, at place: SavePlace) {
    self.name = name
    self.path = path
    self.place = place
    expected = count
  }

  var figures: [String: Double] {
    bytesPerChild.map { ["bytesPerChild": $0] } ?? [:]
  }

  func arrange() async throws {
    tree = nil
    try await store?.close()
    store = nil
  }

  func run() async throws {
    let before = ProcessMeter.allocatedBytes
    switch name {
    case "tree":
      let opened = try FileWrapper(url: URL(filePath: path.string))
      found = try opened.childCount()
      tree = opened
    case "store":
      let opened = try await PackageStore.open(at: URL(filePath: path.string))
      found = try await opened.tree.childCount()
      store = opened
    case "getdents": found = try entries()
    case "ls": return try list("ls", ["-U", path.string])
    default: return try list("find", [path.string, "-mindepth", "1"])
    }
    let after = ProcessMeter.allocatedBytes
    if tree != nil || store != nil, after > before {
      bytesPerChild = Double(after - before) / Double(expected)
    }
  }

  /// Counts entries with the bare loop of every listing.
  private func entries() throws -> Int {
    let folder = try PosixDisk().openDirectory(at: path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
    defer { buffer.deallocate() }
    var count = 0
    while true {
      let filled = clinux_getdents(folder.number, buffer.baseAddress, buffer.count)
      guard filled >= 0 else { throw SystemError("getdents64", code: Errno(rawValue: errno)) }
      // The entries `.` and `..` do not count.
      if filled == 0 { return count - 2 }
      var offset = 0
      while offset < filled {
        // A record's length follows its inode and its offset.
        offset += Int(buffer.loadUnaligned(fromByteOffset: offset + 16, as: UInt16.self))
        count += 1
      }
    }
  }

  private func list(_ program: String, _ arguments: [String]) throws {
    let output = place.folder.appending(list.string).string
    try ChildProcess().run(program, arguments, output: output)
    found = expected
    isListed = true
  }

  /// Whether a program was run, which prints a line for each child.
  private var isListed = false
  /// The file with a program's output.
  private var list: FileName { FileName("\(name).list") }

  func verify() async throws {
    if isListed {
      let lines = try place.disk.contents(of: list, in: place.disk.openDirectory(at: place.folder))
      found = lines.count { $0 == UInt8(ascii: "\n") }
    }
    try await arrange()
    guard found == expected else {
      throw WrongContents(description: "\(found) children were found, but there are \(expected)")
    }
  }
}
