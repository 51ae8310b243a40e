import DurableIO
import FilePackages
import SystemPackage
import TestSupport
import Testing

@Suite("A command on a document whose disk fails", .tags(.crash, .scale))
struct FailingWorkTests {
  private struct Outcome {
    var error: FilePackageError?
    var warnings: [SaveWarning] = []

    init(_ work: DocumentWork, on disk: any Disk) async {
      do {
        warnings = try await work.run(on: disk)
      } catch {
        self.error = error as? FilePackageError ?? FilePackageError(.inputOutput, .save, document: "\(error)")
      }
    }
  }

  /// Checks that an error means that the command did nothing, for each failing request.
  private static func check(_ work: DocumentWork, _ code: Errno, isHard: Bool) async throws -> Int {
    let template = try await DocumentWork.disk()
    let old = try await DocumentWork.sight(on: template)
    #expect(await Outcome(work, on: template).error == nil)
    let new = try await DocumentWork.sight(on: template)
    #expect(old != new || work == .repair)
    // The start differs for each error, so that each error has other requests.
    var (number, points) = (Int(code.rawValue) % DocumentWork.step, 0)
    while true {
      let disk = try await DocumentWork.disk()
      let switchable = FaultyDisk(disk)
      switchable.fail(isHard ? .requests(from: number) : .request(number), with: code)
      let outcome = await Outcome(work, on: switchable.disk)
      if switchable.stopFailing() == 0 { break }
      let comment: Comment =
        "\(work), \(code) at \(number): \(outcome.error?.description ?? "\(outcome.warnings)")"
      let found = try await DocumentWork.sight(on: disk)
      if let error = outcome.error {
        // Setting the policy is a save of its own.
        let isOld = found == old || work == .prune && found.texts == old.texts
        #expect(isOld || error.code == .indeterminate && found == new, comment)
        if error.description.contains("unchanged") { #expect(isOld, comment) }
        #expect(error.operation != .publish && error.operation != .close, comment)
      } else {
        #expect(found == new, comment)
      }
      number += DocumentWork.step
      points += 1
    }
    return points
  }

  @Test(arguments: DocumentWork.allCases, [Errno.ioError, .noSpace, .readOnlyFileSystem, .tooManyOpenFiles])
  func `does all of it and warns, or nothing and fails`(work: DocumentWork, code: Errno) async throws {
    #expect(try await Self.check(work, code, isHard: false) > 3)
  }

  @Test(arguments: DocumentWork.allCases)
  func `does so where nothing succeeds any more`(work: DocumentWork) async throws {
    #expect(try await Self.check(work, .ioError, isHard: true) > 3)
  }
}
