import DurableIO
import FilePackages
import Foundation
import TestSupport
import Testing

/// Programs whose requests to the disk, and whose bytes on it, are on record.
///
/// A change that makes a difference here changes what saving does. Its commit says why, and records the new behaviour
/// with `make record-baseline`. `SHOW_BASELINE=1` prints the requests of the first step that differs.
@Suite(
  "What saving has always done", .tags(.scale),
  .enabled(
    if: ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil,
    "the order of a dictionary is on record, too: 'make test' sets SWIFT_DETERMINISTIC_HASHING"))
struct BaselineTests {
  private static let count: UInt64 = 500
  private static let folder = projectFolder.appending(path: "Fixtures/Baseline", directoryHint: .isDirectory)
  private static let record = folder.appending(path: "programs.txt")
  private static let isRecording = ProcessInfo.processInfo.environment["RECORD_BASELINE"] != nil

  /// One line: the seed, the digest, and each step with a hash of its requests and how many they were.
  private static func line(_ seed: UInt64, _ outcome: BaselineProgram.Outcome) -> String {
    let steps = outcome.steps.map { "\($0.name)=\(Self.text($0.trace))" }
    return "\(seed) \(outcome.digest) \(steps.joined(separator: " "))"
  }

  private static func text(_ trace: DiskTrace.Step) -> String {
    let hash = String(UInt32(truncatingIfNeeded: trace.hash ^ trace.hash >> 32), radix: 16)
    return "\(hash)/\(trace.requests)" + (trace.beside > 0 ? "+\(trace.beside)" : "")
  }

  @Test func `is the same for each seed`() async throws {
    var lines: [String] = []
    for seed in 0..<Self.count { lines.append(Self.line(seed, try await BaselineProgram.run(seed: seed))) }
    if Self.isRecording {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Self.record)
    }
    let known = String(decoding: try Data(contentsOf: Self.record), as: UTF8.self).split(separator: "\n")
    let different = (0..<lines.count).filter { $0 >= known.count || lines[$0] != known[$0] }
    #expect(known.count == lines.count && different.isEmpty, "\(different.count) programs differ")
    for index in different.prefix(5) {
      let words = Array(zip(known[index].split(separator: " "), lines[index].split(separator: " ")))
      // A step that asked the disk for something else says more than the digest of all bytes, which comes first.
      let places = words.indices.filter { words[$0].0 != words[$0].1 }
      guard let place = places.first(where: { $0 >= 2 }) ?? places.first else { continue }
      Issue.record(
        "program \(index), word \(place): '\(words[place].0)' is on record, '\(words[place].1)' was done")
      if ProcessInfo.processInfo.environment["SHOW_BASELINE"] != nil, place >= 2 {
        let steps = try await BaselineProgram.run(seed: UInt64(index), keepsLines: true).steps
        print(steps[place - 2].lines.joined(separator: "\n"))
      }
    }
  }

  @Test func `leaves a document that opens and verifies`() async throws {
    var states: [String: Int] = [:]
    for seed in 0..<Self.count {
      let outcome = try await BaselineProgram.run(seed: seed)
      let store = try await PackageStore.open(BaselineProgram.package, on: outcome.disk)
      #expect(await store.logDamage == nil, "program \(seed)")
      states[try await store.verify().isWhole ? "whole" : "with findings", default: 0] += 1
      try await store.close()
    }
    #expect(states["whole", default: 0] > Int(Self.count) / 2)
  }
}
