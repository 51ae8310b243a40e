import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The making of an encrypted container", .tags(.process, .crash, .scale))
struct CloudInitCrashTests {
  /// `CLOUD_KILLS` is the number of kills; without it there are few.
  private static let kills = ProcessInfo.processInfo.environment["CLOUD_KILLS"].flatMap { Int($0) } ?? 12

  private func initialize(in folder: FilePath, _ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try createFolder(at: folder.appending("disk"))
    try Data("correct horse".utf8).write(to: URL(filePath: folder.appending("words").string))
    return try Program.docpkg.run(
      ["cloud", "init"] + ["disk", "A"].map { folder.appending($0).string }
        + ["--encrypt", "--passphrase-file", folder.appending("words").string],
      in: folder, breaking, at: number)
  }

  /// Makes the container, or adds the folder to it if it is made.
  private func connect(in folder: FilePath) throws -> Run {
    let ending = ["disk", "A", "--passphrase-file", "words"]
    let made = try Program.docpkg.run(["cloud", "init"] + ending, in: folder)
    guard made.status != 0, made.errors.contains("'docpkg cloud add'") else { return made }
    return try Program.docpkg.run(["cloud", "add"] + ending, in: folder)
  }

  @Test(.tracing)
  func `that is killed while it makes the container folder is finished by the next one`() async throws {
    var calls: [String] = []
    try await withTemporaryDirectory { folder in
      let whole = try initialize(in: folder, .nothing, at: 0)
      #expect(whole.run.status == 0, "\(whole.run.errors)")
      calls = whole.calls
    }
    let start = try #require(calls.firstIndex { $0.hasSuffix("mkdirat .docpkg-cloud ") })
    let end = try #require(calls.firstIndex { $0.contains("state.sqlite") })
    let points = Points.of(Array(calls[start..<end]), sample: Self.kills).map { start + $0 }
    for point in points {
      try await withTemporaryDirectory { folder in
        let broken = try initialize(in: folder, .kill, at: point)
        let place = "killed before call \(point) of \(calls.count): \(broken.calls.last ?? "none")"
        if try Program.docpkg.run(["cloud", "status", "A"], in: folder).status != 0 {
          let run = try connect(in: folder)
          #expect(run.status == 0, "\(place): \(run.errors)")
        }
        for command in ["sync", "check"] {
          let run = try Program.docpkg.run(["cloud", command, "A"], in: folder)
          #expect(run.status == 0, "\(place): \(run.errors)")
        }
      }
    }
    print("  init: \(points.count) kills at \(end - start) calls")
  }
}
