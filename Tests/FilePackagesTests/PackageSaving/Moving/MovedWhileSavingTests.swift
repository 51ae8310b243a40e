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

  @Test(arguments: [DocumentWork.save, .large, .undo, .restore], Move.allCases)
  func `goes to the document that was opened, or says that nothing was done`(
    work: DocumentWork, move: Move
  ) async throws {
    let template = try await DocumentWork.disk()
    let old = try await DocumentWork.sight(on: template)
    let other = try await DocumentWork.sight("/Other.pkg", on: template)
    _ = try await work.run(on: template)
    let new = try await DocumentWork.sight(on: template)
    var (point, points, failed, isDone) = (0, 0, 0, false)
    while !isDone {
      let base = try await DocumentWork.disk()
      let number = point
      // The requests are counted after the opening of the document.
      let first = Atomic(Int.max / 2)
      let disk = CountingDisk(base) { (event) throws(SystemError) in
        if event.number == first.load(ordering: .relaxed) + number { try move.carryOut(on: base) }
      }
      var error: (any Error)?
      do {
        _ = try await work.run(on: disk) { first.store(disk.counts.total, ordering: .relaxed) }
      } catch let caught {
        error = caught
      }
      isDone = disk.counts.total <= first.load(ordering: .relaxed) + point
      if isDone { break }
      let comment: Comment = "\(work) \(move) at \(point): \(error.map { "\($0)" } ?? "saved")"
      #expect(try await DocumentWork.sight(move.other, on: base).texts == other.texts, comment)
      if let place = move.place {
        let found = try await DocumentWork.sight(place, on: base)
        #expect(found == (error == nil ? new : old), comment)
      } else if let error {
        #expect(
          !"\(error)".contains("unchanged") || (error as? FilePackageError)?.code == .changedOnDisk, comment)
      }
      if error != nil { failed += 1 }
      point += max(1, DocumentWork.step / 3)
      points += 1
    }
    #expect(points > 10 && failed > 0)
  }
}
