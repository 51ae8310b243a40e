import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("The benchmark command", .tags(.process))
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
      var durable: Bool?
      var unavailable: String?
      var problem: String?
      var medianSeconds: Double?
      var p10: Double?
      var p90: Double?
      var rounds: Int
      var bytesWritten: UInt64?
      var operations: [String: Int]?
      var ratios: [String: Spread]
      var figures: [String: Double]?
    }

    struct Spread: Decodable {
      var median: Double
      var p10: Double
      var p90: Double
    }

    var machine: Machine
    var results: [Result]
  }

  @Test func `measures every strategy, and finds all that they saved`() async throws {
    try await withTemporaryDirectory { folder in
      let run = try docpkg(
        "bench", "save", "--children", "3,20", "--changed", "1,20", "--size", "100", "--rounds", "3",
        "--whole-commands", "--json", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
      #expect(!report.machine.kernel.isEmpty && report.machine.processors > 0)
      #expect(!report.machine.fileSystem.isEmpty && !report.machine.version.isEmpty)
      // 3 children are too few for 20 changed ones.
      #expect(Set(report.results.map { [$0.children, $0.changed] }) == [[3, 1], [20, 1], [20, 20]])
      for result in report.results {
        #expect(result.problem == nil)
        #expect(result.size == 100)
        guard result.unavailable == nil else { continue }
        #expect(result.rounds == 3 && result.bytesWritten != nil)
        #expect(result.medianSeconds != nil && result.p10 != nil && result.p90 != nil)
        #expect(result.strategy == "naive" || result.ratios["naive"] != nil)
      }
      #expect(report.results.contains { $0.strategy == "command" && $0.rounds == 3 })
      #expect(
        report.results.allSatisfy {
          $0.ratios.values.allSatisfy { $0.p10 <= $0.median && $0.median <= $0.p90 }
        })
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty)
    }
  }

  @Test func `prints a table, a row a strategy`() async throws {
    try await withTemporaryDirectory { folder in
      let run = try docpkg(
        "bench", "save", "--children", "3", "--rounds", "3", "--strategy", "floor,naive,floor", "--against",
        "floor", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let lines = run.output.split(separator: "\n")
      #expect(lines.count == 6 && lines[2] == "3 children of 4.0 KB, 1 changed")
      #expect(lines[3].contains("/ floor") && lines[4].hasPrefix("floor ") && lines[5].hasPrefix("naive "))
    }
  }

  @Test func `measures opening, and many documents`() async throws {
    try await withTemporaryDirectory { folder in
      let run = try docpkg("bench", "open", "--children", "50", "--rounds", "3", "--json", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let opened = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).results
      #expect(opened.map(\.strategy) == ["tree", "store", "getdents", "ls", "find"])
      #expect(opened.allSatisfy { $0.rounds == 3 && $0.problem == nil })
      let many = try docpkg("bench", "documents", "--count", "5", "--rounds", "3", "--json", in: folder)
      #expect(many.status == 0, "\(many.errors)")
      let documents = try JSONDecoder().decode(Report.self, from: Data(many.output.utf8)).results
      #expect(documents.map(\.strategy) == ["documents", "one-by-one", "naive"])
      #expect(documents.allSatisfy { $0.rounds == 3 && $0.problem == nil })
      #expect(documents[0].figures?["threads"].map { $0 > 0 } == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty)
    }
  }

  @Test func `measures documents with a database beside plain transactions`() async throws {
    try await withTemporaryDirectory { folder in
      let run = try docpkg("bench", "managed", "--rows", "50,300", "--rounds", "3", "--json", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let results = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).results
      #expect(
        results.map(\.strategy) == [
          "plain", "without undo", "with undo", "plain, FULL", "save", "plain, FULL", "save", "50 rows",
          "300 rows",
          "50 rows", "300 rows",
        ])
      #expect(results.allSatisfy { $0.rounds == 3 && $0.problem == nil })
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty)
    }
  }

  /// The arguments of a small benchmark of a container.
  private static let cloud = [
    "--children", "20", "--documents", "3", "--database-size", "50000", "--rounds", "2", "--json", "--task",
    "first,nothing,child,database,list,travel",
  ]

  private func expectCloud(_ run: Run, in folder: FilePath) throws -> [Report.Result] {
    #expect(run.status == 0, "\(run.errors)")
    let results = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).results
    let own = results.filter { $0.strategy == "docpkg" }
    #expect(own.count == 6 && own.allSatisfy { $0.problem == nil && $0.rounds == 2 })
    // The first upload, nothing changed, one child changed.
    #expect(own[1].figures?["requests"] == 1)
    #expect(own[0].figures?["requests"].map { $0 > 20 } == true)
    #expect(own[2].figures?["requests"].map { $0 > 1 && $0 <= 6 } == true)
    #expect(own[2].figures?["bytesSent"].map { $0 > 4_096 && $0 < 65_536 } == true)
    return results
  }

  @Test func `measures a container in a folder`() async throws {
    try await withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(
        atPath: folder.appending("disk").string, withIntermediateDirectories: false)
      let run = try run(tool, ["bench", "cloud", "disk", "--against", "rclone"] + Self.cloud, in: folder)
      let others = try expectCloud(run, in: folder).filter { $0.strategy != "docpkg" }
      #expect(others.count == 4 && others.allSatisfy { $0.unavailable?.contains("S3 service only") == true })
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.string) == ["disk"])
    }
  }

  @Test func `measures a container in a service, and counts its requests`() async throws {
    try await withTemporaryDirectory { folder in
      let server = try S3Server()
      defer { server.stop() }
      let keys = S3Server.credentials
      let run = try run(
        tool,
        [
          "bench", "cloud", "s3://\(S3Server.bucket)", "--endpoint", server.endpoint, "--region",
          S3Server.region,
        ]
          + Self.cloud, in: folder,
        environment: [
          "AWS_ACCESS_KEY_ID": keys.accessKeyID, "AWS_SECRET_ACCESS_KEY": keys.secretAccessKey,
        ])
      _ = try expectCloud(run, in: folder)
      // The command removes its objects.
      #expect(try await server.store().list("", after: nil, limit: 10).objects.isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty)
    }
  }

  @Test(
    arguments: [
      (["s3://b"], 64, "is no name of a bucket"),
      (["s3://bucket"], 64, "cannot be counted"),
      (["s3://bucket", "--endpoint", "http://nas.example"], 64, "--plain-http"),
      (["none"], 2, "is no folder"),
      ([".", "--task", "last"], 64, "There is no task 'last'"),
      ([".", "--against", "cp"], 64, "There is no program 'cp'"),
      ([".", "--children", "0"], 64, "--children have to be"),
    ] as [([String], Int32, String)])
  func `says which container it cannot measure`(arguments: [String], status: Int32, words: String)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let result = try run(tool, ["bench", "cloud"] + arguments, in: folder)
      #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty)
    }
  }

  @Test func `has other programs compare what an export holds`() async throws {
    try await withTemporaryDirectory { folder in
      let run = try docpkg(
        "bench", "export", "--size", "1000000", "--rounds", "1", "--content", "mix", "--json", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let results = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).results
      #expect(results.count == 20 && results.allSatisfy { $0.problem == nil })
      #expect(results.filter { ["docpkg", "update"].contains($0.strategy) }.allSatisfy { $0.rounds == 1 })
    }
  }

  @Test func `replays states, writes a page, and compares with an earlier report`() async throws {
    try await withTemporaryDirectory { folder in
      let files = FileManager.default
      for (number, texts) in [["a": "1"], ["a": "1", "b/c": "2"], ["b/c": "3", "d": "4"], ["b": "5"]]
        .enumerated()
      {
        let state = URL(filePath: folder.appending("\(number)").string)
        try files.createDirectory(at: state, withIntermediateDirectories: true)
        for (path, text) in texts {
          let file = state.appending(path: path)
          try files.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
          try Data(text.utf8).write(to: file)
        }
      }
      let first = try docpkg("bench", "replay", "0", "1", "2", "3", "--json", "--html", "r.html", in: folder)
      #expect(first.status == 0, "\(first.errors)")
      let results = try JSONDecoder().decode(Report.self, from: Data(first.output.utf8)).results
      #expect(results.filter { $0.unavailable == nil }.allSatisfy { $0.rounds == 3 && $0.problem == nil })
      let page = try String(contentsOf: URL(filePath: folder.appending("r.html").string), encoding: .utf8)
      #expect(page.contains("journal") && !page.contains("http"))
      let report = URL(filePath: folder.appending("r.json").string)
      try Data(first.output.utf8).write(to: report)
      let second = try docpkg("bench", "replay", "0", "1", "2", "3", "--compare", "r.json", in: folder)
      #expect(second.output.contains("beside the earlier report"), "\(second.errors)")
      // On a busy machine the comparison may find a difference.
      #expect([0, 1].contains(second.status))
      let bad = try docpkg("bench", "replay", "0", "1", "--compare", "a.html", in: folder)
      #expect(bad.status == 2 && bad.output.isEmpty && bad.errors.contains("'a.html'"))
    }
  }

  @Test(
    arguments: [
      (["--strategy", "best"], 64, "There is no strategy 'best'"),
      (["--children", "3", "--changed", "4"], 64, "--changed has to be 1 to the number of children"),
      (["--children", "3,x"], 64, "--children"),
      (["--against", "git"], 64, "'git' is not measured; there are floor"),
      (["--folder", "none"], 2, "Nothing can be measured in 'none'"),
    ] as [([String], Int32, String)])
  func `says what it cannot do`(arguments: [String], status: Int32, message: String) async throws {
    try await withTemporaryDirectory { folder in
      let result = try run(tool, ["bench", "save"] + arguments, in: folder)
      #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
  }
}
