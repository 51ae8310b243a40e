import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A command on a document that another program moves meanwhile", .tags(.crash, .scale))
struct MovedWhileSavingTests {
  /// The other program's change to the document's folder.
  enum Move: String, CaseIterable, Sendable {
    case away, exchange, replace, remove

    /// The place of the document afterwards; nil if it is gone.
    var place: FilePath? {
      switch self {
      case .away, .replace: "/Moved.pkg"
      case .exchange: "/Other.pkg"
      case .remove: nil
      }
    }

    /// The place of the other document afterwards.
    var other: FilePath { self == .away || self == .remove ? "/Other.pkg" : DocumentWork.path }

    func carryOut(on disk: any Disk) throws(SystemError) {
      let folder = try disk.openDirectory(at: "/")
      let (name, other) = (FileName("Trip.pkg"), FileName("Other.pkg"))
      switch self {
      case .away: try disk.rename(name, in: folder, to: FileName("Moved.pkg"), in: folder, .noReplace)
      case .exchange: try disk.rename(name, in: folder, to: other, in: folder, .exchange)
      case .replace:
        try disk.rename(name, in: folder, to: FileName("Moved.pkg"), in: folder, .noReplace)
        try disk.rename(other, in: folder, to: name, in: folder, .noReplace)
      case .remove: disk.removeEverything(name, from: folder)
      }
    }
  }

  private static let works: [DocumentWork] = [.save, .large, .undo, .restore]

  @Test(arguments: works, Move.allCases)
  func `goes to the document that was opened, or says that nothing was done`(
    work: DocumentWork, move: Move
  ) async throws {
    let template = try await DocumentWork.disk()
    let old = try await DocumentWork.sight(on: template)
    let other = try await DocumentWork.sight("/Other.pkg", on: template)
    _ = try await work.run(on: template)
    let new = try await DocumentWork.sight(on: template)
    var (point, points, warned, failed, isDone) = (0, 0, 0, 0, false)
    while !isDone {
      let base = try await DocumentWork.disk()
      let number = point
      // The requests are counted after the opening of the document.
      let first = Atomic(Int.max / 2)
      let disk = CountingDisk(base) { (event) throws(SystemError) in
        if event.number == first.load(ordering: .relaxed) + number { try move.carryOut(on: base) }
      }
      var warnings: [SaveWarning] = []
      var error: (any Error)?
      do {
        warnings = try await work.run(on: disk) { first.store(disk.counts.total, ordering: .relaxed) }
      } catch let caught {
        error = caught
      }
      isDone = disk.counts.total <= first.load(ordering: .relaxed) + point
      if isDone { break }
      let comment: Comment = "\(work) \(move) at \(point): \(error.map { "\($0)" } ?? "\(warnings)")"
      #expect(try await DocumentWork.sight(move.other, on: base).texts == other.texts, comment)
      if let place = move.place {
        let found = try await DocumentWork.sight(place, on: base)
        #expect(found == (error == nil ? new : old), comment)
      } else if let error {
        #expect(
          !"\(error)".contains("unchanged") || (error as? FilePackageError)?.code == .changedOnDisk, comment)
      }
      if error != nil { failed += 1 }
      if warnings.contains(where: { $0.kind == .moved }) { warned += 1 }
      point += max(1, DocumentWork.step / 3)
      points += 1
    }
    print("\(work) \(move): \(points) points, \(failed) failed, \(warned) told where it is")
    #expect(points > 10 && failed > 0)
    #expect(warned > 0 || move == .remove)
  }

  @Test func `says where the document is by now`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("Trip.pkg")
      let tree: TestTree = ["Text.txt": "old"]
      _ = try await PackageStore.create(
        tree.wrapper, path, contentType: UTType(exportedAs: "com.example.trip"), on: PosixDisk())
      let moved = folder.appending("Moved.pkg")
      let disk = CountingDisk(PosixDisk()) { (event) throws(SystemError) in
        guard event.operation == .exchange else { return }
        let parent = try PosixDisk().openDirectory(at: folder)
        try? PosixDisk().rename(
          FileName("Trip.pkg"), in: parent, to: FileName("Moved.pkg"), in: parent, .noReplace)
      }
      let store = try await PackageStore.open(path, on: disk)
      try await store.put("Text.txt", "new")
      let report = await store.close(after: try await store.save())
      #expect(report.warnings == [SaveWarning(.moved, reason: moved.string)])
      #expect(try Data(contentsOf: URL(filePath: moved.string + "/Text.txt")) == Data("new".utf8))
      #expect("\(report.warnings)".contains("Moved.pkg"))
    }
  }
}
