import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The benchmark command", .tags(.process), .temporaryDirectory)
struct BenchTests {
  private struct Report: Decodable {
    struct Machine: Decodable {
      var kernel: String
      var processors: Int
      var fileSystem: String
      var version: String
    }

    struct Result: Decodable {
      var strategy: String
      var children: Int?
      var changed: Int?
      var size: Int?
      var problem: String?
      var medianSeconds: Double?
      var p10: Double?
      var p90: Double?
      var rounds: Int
      var bytesWritten: UInt64?
      var operations: [String: Int]?
      var ratios: [String: Spread]
    }

    struct Spread: Decodable {
      var median: Double
      var p10: Double
      var p90: Double
    }

    var machine: Machine
    var results: [Result]
  }

  @Test func `leaves nothing if it is cancelled`() async throws {
    let run = try start("bench", "save", "--children", "500", "--rounds", "1000000", "--budget", "100000")
    try await run.waits { try !names().isEmpty }
    kill(run.number, SIGINT)
    let end = try run.wait()
    #expect(end.signal == SIGINT && end.errors.contains("nothing was measured"), "\(end.errors)")
    #expect(try names().isEmpty)
  }

  @Test func `measures every strategy, and finds all that they saved`() throws {
    let run = try docpkg(
      "bench", "save", "--children", "3,20", "--changed", "1,20", "--size", "100", "--rounds", "3",
      "--json")
    #expect(run.status == 0, "\(run.errors)")
    let report: Report = try decoded(run)
    #expect(!report.machine.kernel.isEmpty && report.machine.processors > 0)
    #expect(!report.machine.fileSystem.isEmpty && !report.machine.version.isEmpty)
    // 3 children are too few for 20 changed ones.
    #expect(Set(report.results.map { [$0.children, $0.changed] }) == [[3, 1], [20, 1], [20, 20]])
    for result in report.results {
      #expect(result.problem == nil)
      #expect(result.size == 100)
      #expect(result.rounds == 3 && result.bytesWritten != nil)
      #expect(result.medianSeconds != nil && result.p10 != nil && result.p90 != nil)
      #expect(result.strategy == "naive" || result.ratios["naive"] != nil)
    }
    #expect(
      report.results.allSatisfy {
        $0.ratios.values.allSatisfy { $0.p10 <= $0.median && $0.median <= $0.p90 }
      })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty)
  }

  @Test func `prints a table, a row a strategy`() throws {
    let run = try docpkg(
      "bench", "save", "--children", "3", "--rounds", "3", "--strategy", "floor,naive,floor", "--against",
      "floor", "--html", "r.html")
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 6 && lines[2] == "3 children of 4.0 KB, 1 changed")
    #expect(lines[3].contains("/ floor") && lines[4].hasPrefix("floor ") && lines[5].hasPrefix("naive "))
    let page = try String(contentsOf: url("r.html"), encoding: .utf8)
    #expect(page.contains("<svg") && page.contains("naive: each file by itself"))
  }

  @Test(
    arguments: [
      (["--strategy", "best"], 64, "There is no strategy 'best'"),
      (["--children", "3", "--changed", "4"], 64, "--changed has to be 1 to the number of children"),
      (["--children", "3,x"], 64, "--children"),
      (["--against", "git"], 64, "There is no strategy 'git'; there are floor"),
      (["--strategy", "floor", "--against", "naive"], 64, "'naive' is not measured; there are floor"),
      (["--html", "none/r.html"], 2, "'none/r.html' cannot be written"),
      (["--folder", "none"], 2, "Nothing can be measured in 'none'"),
    ] as [([String], Int32, String)])
  func `says what it cannot do`(arguments: [String], status: Int32, message: String) throws {
    let result = try run(tool, ["bench", "save"] + arguments)
    #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
    #expect(result.output.isEmpty)
  }
}
