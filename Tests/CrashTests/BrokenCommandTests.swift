import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("A command whose system calls fail", .tags(.crash, .process), .tracing, .temporaryDirectory)
struct BrokenCommandTests {
  /// A way to break a call, and the number of calls in a sample.
  private typealias Broken = (name: String, breaking: Breaking, sample: Int)

  private static let breakings: [Broken] = [
    ("EIO", .error(.ioError), 1), ("ENOSPC", .error(.noSpace), 1), ("EACCES", .error(.permissionDenied), 1),
    ("EROFS", .error(.readOnlyFileSystem), 1), ("EMFILE", .error(.tooManyOpenFiles), 1),
    ("ENOMEM", .error(.noMemory), 1), ("EDQUOT", .error(Errno(rawValue: 122)), 1),
    ("EINTR", .error(.interrupted), 1), ("half of a write", .short, 1), ("SIGINT", .signal(SIGINT), 2),
    ("SIGTERM", .signal(SIGTERM), 2), ("SIGHUP", .signal(SIGHUP), 2), ("a kill", .kill, 10),
  ]

  // An archive's name leads to the earlier file or to the whole new one (X1, X2). An import leaves all or nothing
  // (I1, I2).
  @Test(arguments: CommandFixture.Work.allCases)
  func `says nothing that the disk contradicts`(_ work: CommandFixture.Work) async throws {
    let fixture = try await waiting { try CommandFixture(in: folder, work) }
    var trial = try await CommandTrial(fixture)
    var (cases, lies) = (0, 0)
    for (number, broken) in Self.points(of: trial.calls) {
      for (name, breaking, _) in broken {
        guard let found = try await trial.lies(breaking, at: number) else { continue }
        cases += 1
        if found.lies.isEmpty { continue }
        lies += 1
        let text = found.lies.map { "\n  \($0)" }.joined()
        Issue.record("\(work.rawValue), \(name) at call \(found.call):\(text)")
      }
    }
    print("\(work.rawValue): \(trial.calls.count) calls, \(cases) cases, \(lies) with lies")
  }

  /// Returns the calls to break, each with what breaks it: everything breaks every call with `EVERY_CALL=1`, and every
  /// fourth one with `EVERY_CALL=4`; otherwise each breaks a sample.
  private static func points(of calls: [String]) -> [(key: Int, value: [Broken])] {
    let step = ProcessInfo.processInfo.environment["EVERY_CALL"].flatMap { Int($0) }
    var points: [Int: [Broken]] = [:]
    for (index, breaking) in breakings.enumerated() {
      // Each has a sample of its own.
      let numbers =
        if let step {
          (1...calls.count).filter { ($0 + index).isMultiple(of: step) }
        } else {
          Points.of(
            Array(calls.dropLast(index)), sample: breaking.sample,
            each: "\(breaking.breaking)" == "kill" ? "renameat2" : nil)
        }
      for number in numbers { points[number, default: []].append(breaking) }
    }
    return points.sorted { $0.key < $1.key }
  }

  @Test(arguments: CommandFixture.Work.allCases.filter(\.reportsSyncs))
  func `tells of every synchronization that it waits for`(_ work: CommandFixture.Work) async throws {
    let run = try await waiting { try CommandFixture(in: folder, work).run() }
    let made = run.calls.count { call in
      let name = call.split(separator: " ").dropFirst().first ?? ""
      return ["fsync", "fdatasync", "syncfs"].contains(name)
    }
    let words = run.run.output.split(whereSeparator: \.isWhitespace)
    let place = try #require(words.firstIndex { $0.hasPrefix("synchronization") })
    #expect(Int(words[place - 1]) == made, "\(run.run.output)")
  }

  // An archive or a package gets its name only when all of it is durable, and the command ends only when its name is.
  @Test(arguments: CommandFixture.Work.allCases.filter { $0.isExport || $0.rawValue.hasPrefix("import") })
  func `syncs an archive or a package before it gets its name, and then the name`(
    _ work: CommandFixture.Work
  ) async throws {
    let fixture = try await waiting { try CommandFixture(in: folder, work) }
    let old = try fixture.visible()
    let calls = try await waiting { try fixture.run() }.calls
      .map { $0.split(separator: " ").dropFirst().map(String.init) }
    let made = try fixture.visible().entries.first {
      $0.key.string.hasPrefix("Result") && old[$0.key] != $0.value
    }
    let (name, tree) = try #require(made.map { ($0.key.string, $0.value) })
    let naming = try #require(calls.lastIndex { $0[0].hasPrefix("rename") && $0.last == name })
    func synced(_ calls: some Sequence<[String]>) -> Set<String> {
      Set(calls.filter { $0[0] == "fsync" && $0.count > 1 }.map { $0[1] })
    }
    let (before, after) = (synced(calls[..<naming]), synced(calls[naming...]))
    // Before, it stands under a hidden name, perhaps in a folder of its own.
    let staged = before.filter { $0.contains("/scene/.docpkg-") }
    for path in tree.paths {
      let isSynced = path.isEmpty ? !staged.isEmpty : staged.contains { $0.hasSuffix("/\(path)") }
      #expect(isSynced, "'\(path)' is not synced before it has its name")
    }
    #expect(after.contains { $0.hasSuffix("/scene") }, "the name is not synced")
  }
}

extension TestTree {
  /// The paths of this file or folder and of all files and folders in it; its own is empty.
  fileprivate var paths: [String] {
    var paths = [""]
    for (name, child) in entries {
      if case .link = child { continue }
      paths += child.paths.map { $0.isEmpty ? name.string : "\(name.string)/\($0)" }
    }
    return paths
  }
}
