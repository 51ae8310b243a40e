import Documents
import DurableIO
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

/// A directory for one test of finding documents.
struct DiscoveryScratch: Sendable {
  let path: String

  init(path: String) {
    // The type is known from here on.
    _ = Self.note
    self.path = path
  }

  /// A package type that only these tests know.
  static let note = UTType(exportedAs: noteDeclaration.identifier)
  private static let noteDeclaration: UTType = {
    do {
      return try UTType.declare(
        exported: UTType.Declaration(
          identifier: "org.example.discovery-note", conformsTo: [.package], filenameExtensions: ["dnote"]))
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  func text(_ name: String) -> String { path + "/" + name }

  func url(_ name: String) -> URL { URL(filePath: text(name), directoryHint: .isDirectory) }

  /// Returns a path in the spelling of the library, bytes that are not UTF-8 included.
  func bytes(_ name: [UInt8]) -> [CChar] {
    (Array((path + "/").utf8) + name + [0]).map { CChar(bitPattern: $0) }
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: text(name), withIntermediateDirectories: true)
  }

  func write(_ string: String, to name: String) throws {
    try Data(string.utf8).write(to: URL(filePath: text(name)))
  }

  /// Makes a package without a file. A file that is open for writing while another process starts is closed late: the
  /// system reports the change only when that process begins.
  func makePackage(_ name: String) throws { try makeFolder(name + "/Images") }

  /// Makes a package of a plain folder.
  func makeSaved(_ name: String) throws {
    try makeFolder(name + "/.docpkg")
    try write("plist", to: name + "/Metadata.plist")
  }

  /// Saves as a save in place does: a new file takes the plist's name.
  func save(_ name: String) throws {
    try makeFolder(name + "/.docpkg")
    try write("newer", to: name + "/.docpkg/staged")
    try rename(name + "/.docpkg/staged", name + "/Metadata.plist")
  }

  func rename(_ old: String, _ new: String) throws {
    try #require(Glibc.rename(text(old), text(new)) == 0, "\(old) to \(new): \(errno)")
  }

  func exchange(_ one: String, _ other: String) throws {
    let disk = PosixDisk()
    let (one, other) = (FilePath(text(one)), FilePath(text(other)))
    let first = try disk.openDirectory(at: one.removingLastComponent())
    let second = try disk.openDirectory(at: other.removingLastComponent())
    try disk.rename(
      FileName(one.lastComponent?.string ?? ""), in: first, to: FileName(other.lastComponent?.string ?? ""),
      in: second, .exchange)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: text(name)) }

  /// Returns the documents that a walk of these folders finds, as `Found` values.
  func walk(_ folders: [String]) throws -> [String: Found] {
    var found: [String: Found] = [:]
    for folder in folders { try walk(text(folder), &found) }
    return found
  }

  private func walk(_ folder: String, _ found: inout [String: Found]) throws {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where !name.hasPrefix(".") {
      let path = folder + "/" + name
      var status = stat()
      try #require(lstat(path, &status) == 0)
      let isDirectory = status.st_mode & S_IFMT == S_IFDIR
      guard isDirectory || status.st_mode & S_IFMT == S_IFREG else { continue }
      var inner = stat()
      let isPackage =
        isDirectory
        && (name.hasSuffix(".dnote")
          || stat(path + "/.docpkg", &inner) == 0 && stat(path + "/Metadata.plist", &inner) == 0)
      if isDirectory && !isPackage {
        try walk(path, &found)
      } else {
        found[path] = Found(
          inode: status.st_ino, seconds: status.st_mtim.tv_sec, size: isPackage ? nil : UInt64(status.st_size)
        )
      }
    }
  }

  /// The tested facts of a document that was found.
  struct Found: Equatable {
    var inode: UInt
    var seconds: Int
    var size: UInt64?

    init(inode: UInt, seconds: Int, size: UInt64?) {
      (self.inode, self.seconds, self.size) = (inode, seconds, size)
    }

    init(_ item: DocumentItem) {
      self.init(
        inode: UInt(item.inode), seconds: Int(item.modificationDate.timeIntervalSince1970.rounded(.down)),
        size: item.size)
    }
  }
}

/// The scratch directory of the test that runs, which has the trait `temporaryDirectory`.
var scratch: DiscoveryScratch { DiscoveryScratch(path: folder.string) }

/// The results of a program that has only the updates.
struct HeardResults {
  private(set) var items: [String: DocumentItem] = [:]
  private(set) var isGathering = false
  private(set) var problems: [String: FilePackageError.Code] = [:]
  private(set) var counts = (added: 0, changed: 0, moved: 0, removed: 0)

  init() {}

  /// Starts a query, and takes the updates of its first look.
  init(starting query: DocumentQuery) async {
    query.start()
    await update(query)
  }

  /// Takes all updates, and checks that they fit the earlier ones.
  mutating func hear(_ query: DocumentQuery) {
    while let update = query.takeUpdate() { hear(update) }
  }

  /// Takes the updates of the query's next look.
  mutating func update(_ query: DocumentQuery) async {
    await query.update()
    hear(query)
  }

  mutating func hear(_ update: DocumentQuery.Update) {
    switch update {
    case .typesWithoutExtension: break
    case .startedGathering: (items, isGathering, problems) = ([:], true, [:])
    case .gathered(let found):
      #expect(isGathering)
      for item in found { insert(item) }
    case .finishedGathering: isGathering = false
    case .unreadable(let problem): problems[problem.url.path] = problem.error.code
    case .readable(let folder): problems[folder.path] = nil
    case .updated(let changes):
      #expect(!isGathering)
      counts.added += changes.added.count
      counts.changed += changes.changed.count
      counts.moved += changes.moved.count
      counts.removed += changes.removed.count
      for item in changes.removed { remove(item) }
      for move in changes.moved { remove(move.old) }
      for item in changes.changed { #expect(items.updateValue(item, forKey: item.path) != nil) }
      for item in changes.added { insert(item) }
      for move in changes.moved { insert(move.new) }
    }
  }

  private mutating func insert(_ item: DocumentItem) {
    #expect(items.updateValue(item, forKey: item.path) == nil, "\(item.path) was told twice")
  }

  private mutating func remove(_ item: DocumentItem) {
    #expect(items.removeValue(forKey: item.path) == item, "\(item.path) was told otherwise")
  }
}

extension DocumentQuery.Options {
  static var hasty: DocumentQuery.Options {
    var options = DocumentQuery.Options()
    options.batchingInterval = .milliseconds(10)
    options.quietPeriod = .milliseconds(2)
    options.pollInterval = .milliseconds(20)
    return options
  }

  /// Options without any timed work for as long as a test takes.
  static var patient: DocumentQuery.Options {
    var options = DocumentQuery.Options()
    options.batchingInterval = .seconds(3600)
    options.quietPeriod = .seconds(3600)
    options.pollInterval = .seconds(3600)
    return options
  }
}
