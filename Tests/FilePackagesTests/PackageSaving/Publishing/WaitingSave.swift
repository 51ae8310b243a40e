import DurableIO
import FilePackages
import SystemPackage
import TestSupport

/// A package with a committed save that is not published, as a killed program leaves it.
///
/// It also has the same package just after publishing, and not closed.
struct WaitingSave {
  static let path: FilePath = "/Trip.pkg"
  static let hidden: FilePath = "/Trip.pkg/.docpkg"
  static let capacity = 8 << 10

  /// The states for programs before the save and after it.
  let old: NaturalPicture
  let new: NaturalPicture
  private let waiting: CrashPoint
  private let made: CrashPoint
  private let published: CrashPoint
  /// Every moment from the commit on.
  let points: [CrashPoint]

  /// - Parameter edits: the edits of the save; one of them replaces a file, so that there is an exchange.
  init(_ tree: TestTree, metadata: Bool, _ edits: [Edit], options: CrashDisk.Options = .init()) async throws {
    let disk = try await CrashCheck.disk(tree, metadata: metadata, options: options)
    disk.synchronizeAll()
    let store = try await PackageStore.open(Self.path, on: disk, logCapacity: Self.capacity)
    old = try NaturalPicture(of: Self.path, on: disk)
    try await store.edit(edits)
    let points = try await CrashDisk.crashPoints(of: disk) { try await store.save() }
    new = try NaturalPicture(of: Self.path, on: disk)
    let first = try points.firstIndex {
      try PackageStore.recoveryReport(Self.path, on: $0.afterKill()).log == .waiting
    }
    guard let last = points.last, let first, let made = points.first(where: { $0.next == .exchange }) else {
      throw SystemError("save", code: .invalidArgument)
    }
    // The marks say that the record is committed.
    let synced = points[first...].firstIndex { $0.next == .synchronizeData }
    let marked = synced.flatMap { synced in points[(synced + 1)...].firstIndex { $0.next != .write } }
    waiting = points[marked ?? first]
    self.made = made
    published = last
    self.points = Array(points[first...])
  }

  /// Returns a new disk on each call, so that each test has its own.
  func afterCommit() -> CrashDisk { waiting.afterKill() }
  /// Returns the disk after the making of all files in the record.
  func beforeExchange() -> CrashDisk { made.afterKill() }
  func afterPublishing() -> CrashDisk { published.afterKill() }

  static func open(on disk: any Disk) async throws -> PackageStore {
    try await PackageStore.open(path, on: disk, logCapacity: capacity)
  }
}

extension Disk {
  /// Changes the bytes of a file in place and leaves its date, as a failing device does.
  func damage(_ name: FileName, in folder: FilePath, _ change: (inout [UInt8]) -> Void) throws {
    let file = try openFileForWriting(name, in: openDirectory(at: folder))
    let modified = try status(of: file).modified
    let before = try readAll(file)
    var bytes = before
    change(&bytes)
    if bytes.count < before.count { try resize(file, to: UInt64(bytes.count)) }
    if let first = zip(before, bytes).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
      try writeAll(Array(bytes[first...]), to: file, at: UInt64(first))
    }
    try setModified(modified, of: file)
  }

  /// Makes a file in the place of the one of that name, if there is one, as other programs do.
  func rewrite(_ name: FileName, _ bytes: [UInt8], in folder: FilePath) throws(SystemError) {
    let directory = try openDirectory(at: folder)
    if try exists(name, in: directory) { try removeFile(name, in: directory) }
    try makeFile(name, bytes, in: directory)
  }

  func contents(of path: FilePath) throws -> [UInt8] {
    let name = path.lastComponent.map(FileName.init) ?? "?"
    return try contents(of: name, in: openDirectory(at: path.removingLastComponent()))
  }
}
