import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A process that exports or imports and is broken off", .tags(.crash, .process),
  .enabled(if: Program.canBreak, "this needs ptrace(2)"))
struct BrokenArchiveTests {
  @Test(arguments: ArchiveFixture.Work.allCases)
  func `killed at any call leaves nothing, what was there, or all of it`(_ work: ArchiveFixture.Work)
    async throws
  {
    // The name leads to the earlier file (X1) or to nothing (I1) up to the rename.
    try await breakOff(work, [.kill], sample: 12)
  }

  @Test(arguments: ArchiveFixture.Work.allCases)
  func `with any call failing fails and leaves what was there, or does it all`(_ work: ArchiveFixture.Work)
    async throws
  {
    // After an error the earlier file is there and nothing beside it (X2), or nothing at all (I2).
    let codes: [Errno] = [.noSpace, .ioError, .tooManyOpenFiles, .interrupted]
    try await breakOff(work, codes.map { .error($0) } + [.short], sample: 1)
  }

  private func breakOff(_ work: ArchiveFixture.Work, _ breakings: [Breaking], sample: Int) async throws {
    try await withTemporaryDirectory { folder in
      try await waiting {
        let fixture = try ArchiveFixture(in: folder, work)
        let calls = try fixture.run(.nothing, at: 0).calls
        #expect(calls.count > 20, "no calls were numbered")
        #expect(try fixture.state() == .new)
        var (points, bad) = (0, 0)
        for (index, breaking) in breakings.enumerated() {
          let calls = Array(calls.dropLast(index))
          for number in Points.of(calls, sample: sample, each: "renameat2", "fchmod") {
            try fixture.reset()
            let broken = try fixture.run(breaking, at: number)
            guard broken.calls.count >= number else { continue }
            points += 1
            if let problem = try fixture.problem(after: broken.run, wasKilled: "\(breaking)" == "kill") {
              bad += 1
              Issue.record("\(breaking) at call \(broken.calls[number - 1]): \(problem)")
            }
          }
        }
        print("\(work) \(breakings): \(points) points, \(bad) bad")
      }
    }
  }
}

/// An archive and a package; the work makes one of the other.
///
/// (1) The result is there whole, or the earlier state is.
/// (2) An acknowledged result is there; a failed one is not, nor a hidden file beside it.
/// (3) In every case the program ends by itself, by an error and not by a signal.
/// (4) A second run works and leaves nothing beside the result.
struct ArchiveFixture {
  enum Work: String, CaseIterable, Sendable {
    case exportZip = "zip"
    case exportTar = "tar.zst"
    /// An export to the archive of an earlier state, which updates it.
    case update = "updated zip"
    case importZip = "zip, in"
    case importTar = "tar.zst, in"

    var isImport: Bool { self == .importZip || self == .importTar }
    var filename: String { self == .exportTar || self == .importTar ? "Trip.tar.zst" : "Trip.zip" }
  }

  enum State: Equatable {
    case absent, old, new
    case other(String)
  }

  private static let docpkg = Program("docpkg")
  private static let before: TestTree = ["Text.txt": "Rain.", "Images": ["1.png": "one"]]
  private static let after: TestTree = [
    "Text.txt": "Sun.", "Images": ["1.png": "one", "2.png": "two"], "Current": .link(Array("Text.txt".utf8)),
    "Empty": [:],
  ]

  private let work: Work
  private let root: FilePath
  /// The folder of the result; it contains no other file.
  private let folder: FilePath
  private let oldArchive: [UInt8]
  private let newArchive: [UInt8]

  private var package: FilePath { root.appending("Trip.pack") }
  private var target: FilePath { folder.appending(work.isImport ? "Trip.pack" : work.filename) }

  init(in root: FilePath, _ work: Work) throws {
    self.root = root
    self.work = work
    folder = root.appending("scene")
    (oldArchive, newArchive) = try (
      Self.archive(Self.before, work, root), Self.archive(Self.after, work, root)
    )
    try reset()
  }

  /// Makes the archive of a tree.
  ///
  /// It is the same each time, since its dates are set as well.
  private static func archive(_ tree: TestTree, _ work: Work, _ root: FilePath) throws -> [UInt8] {
    let disk = PosixDisk()
    let package = root.appending("Trip.pack").string
    if FileManager.default.fileExists(atPath: package) { try FileManager.default.removeItem(atPath: package) }
    try tree.write(to: "Trip.pack", in: disk.openDirectory(at: root), of: disk)
    try require(
      Program(path: "/bin/sh").run(["-c", "find '\(package)' -exec touch -h -d @1600000000 {} +"]), "dating")
    let path = root.appending(work.filename)
    try require(docpkg.runInTime(["export", package, path.string]), "exporting")
    return Array(try Data(contentsOf: URL(filePath: path.string)))
  }

  /// Restores the initial state.
  func reset() throws {
    let files = FileManager.default
    if files.fileExists(atPath: folder.string) { try files.removeItem(atPath: folder.string) }
    try files.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
    if !work.isImport { try Data(oldArchive).write(to: URL(filePath: target.string)) }
  }

  private var arguments: [String] {
    work.isImport
      ? ["import", root.appending(work.filename).string, target.string]
      : ["export", package.string, target.string] + (work == .update ? ["--update"] : [])
  }

  func run(_ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try Self.docpkg.run(arguments, in: folder, breaking, at: number)
  }

  func state() throws -> State {
    guard FileManager.default.fileExists(atPath: target.string) else { return .absent }
    if work.isImport {
      let found = try TestTree.read(target, of: PosixDisk())
      return found == Self.after ? .new : .other(Self.after.differences(in: found))
    }
    let found = Array(try Data(contentsOf: URL(filePath: target.string)))
    return found == newArchive ? .new : found == oldArchive ? .old : .other("\(found.count) bytes")
  }

  /// Returns the problem after a run with one broken call; nil if there is none.
  func problem(after run: Run, wasKilled: Bool) throws -> String? {
    let found = try state()
    // (3)
    if ![0, 2].contains(run.status) && !(wasKilled && run.status == 128 + SIGKILL) {
      return "it ended with \(run.status): \(run.errors)"
    }
    // (1)
    let before: State = work.isImport ? .absent : .old
    if found != before && found != .new { return "there is \(found)" }
    // (2)
    if run.status == 0 && found != .new { return "what was acknowledged is not there" }
    let isDone = run.errors.contains("the disk did not confirm it") || run.errors.contains("standard output")
    if run.status == 2 && found == .new && !isDone {
      return "it failed and is there: \(run.errors)"
    }
    let hidden = try FileManager.default.contentsOfDirectory(atPath: folder.string).filter {
      $0.hasPrefix(".")
    }
    if !wasKilled && !hidden.isEmpty { return "it ended with \(run.status) and left \(hidden)" }
    // (4)
    let again = try Self.docpkg.runInTime(arguments)
    let isRefused = work.isImport && found == .new
    if again.status != (isRefused ? 2 : 0) {
      return "doing it again ended with \(again.status): \(again.errors)"
    }
    if try state() != .new { return "done again, it is not there" }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.string)
    return left.count == 1 ? nil : "left behind: \(left)"
  }
}
