import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Two machines with a document of recipes, which both have changed. The desktop has to merge the laptop's changes.
private struct TwoBooks {
  /// The rows of the desktop before the merge and after it.
  static let old = "1=2/1 2=desktop/1 3=2/6 8=soup/1"
  static let merged = "1=laptop/1 2=desktop/1 3=2/6 7=bread/1 8=soup/1"

  let folder: FilePath

  init(in folder: FilePath) throws {
    self.folder = folder
    try createFolder(at: folder.appending("store"))
    try docpkg("cloud", "init", "store", "laptop", "--device", "laptop")
    try docpkg("cloud", "add", "store", "desktop", "--device", "desktop")
    try bookkeeper(["laptop/Book.recipebook", "0", "2"])
    for device in ["laptop", "desktop"] { try docpkg("cloud", "sync", device, "--quiet") }
    try docpkg("cloud", "download", "desktop/Book.recipebook", "--quiet")
    try talk("laptop", "title 1 laptop", "write Pictures/1 laptop", "servings 3 5", "add 7 bread", "save")
    try talk("desktop", "title 2 desktop", "write Pictures/2 desktop", "servings 3 6", "add 8 soup", "save")
    try docpkg("cloud", "sync", "laptop", "--quiet")
  }

  func docpkg(_ arguments: String..., statuses: [Int32] = [0]) throws {
    try CrashTests.docpkg(arguments, in: folder, statuses: statuses)
  }

  @discardableResult
  private func bookkeeper(_ arguments: [String], input: String = "") throws -> [String] {
    let run = try Program("bookkeeper").run(arguments, in: folder, input: input)
    #expect(run.status == 0 && !run.output.contains("failed"), "\(arguments): \(run.output)\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  /// Opens a machine's document as its application, and gives it commands; returns their results.
  @discardableResult
  func talk(_ device: String, _ commands: String...) throws -> [String] {
    let lines = try bookkeeper(
      ["\(device)/Book.recipebook", "talk"], input: (commands + ["close", ""]).joined(separator: "\n"))
    return commands.compactMap { command in
      let start = "done \(command): "
      return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
  }

  /// Runs the sync that merges, with one call broken.
  ///
  /// - Parameter part: the part of the folder whose calls are numbered. Those of a small part always have one order.
  func merge(_ breaking: Breaking, at number: Int, in part: String = ".") throws -> BrokenRun {
    try Program("docpkg").run(
      ["cloud", "sync", folder.appending("desktop").string, "--quiet"],
      in: part == "." ? folder : folder.appending(part), breaking, at: number)
  }

  /// Checks that the desktop has all of the merge or nothing of it, and that both machines then get all of it.
  func check(_ place: String) throws {
    let found = try talk("desktop", "rows", "read Pictures/1", "read Pictures/2")
    #expect(
      [[Self.old, "2 ", "desktop"], [Self.merged, "laptop", "desktop"]].contains(found), "\(found), \(place)")
    for device in ["desktop", "laptop", "desktop"] {
      try docpkg("cloud", "sync", device, "--quiet", statuses: [0, 1])
    }
    var conflicts: Set<String> = []
    for device in ["laptop", "desktop"] {
      let found = try talk(device, "rows", "read Pictures/1", "read Pictures/2")
      #expect(found == [Self.merged, "laptop", "desktop"], "\(found), \(device), \(place)")
      try docpkg("verify", "\(device)/Book.recipebook", "--quiet")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(device).string)
      #expect(names.sorted() == [".docpkg-cloud", "Book.recipebook"], "\(device), \(place)")
      conflicts.insert(
        try Program("docpkg").run(["conflicts", "\(device)/Book.recipebook"], in: folder).output
          .split(separator: "\n").filter { $0.hasPrefix(" ") }.joined(separator: "\n"))
    }
    #expect(conflicts.count == 1, "\(conflicts), \(place)")
    let list = conflicts.first ?? ""
    #expect(list.split(separator: "\n").count == 1, "\(list), \(place)")
    #expect(list.hasSuffix("recipe 3: servings 6; the other: servings 5"), "\(list), \(place)")
    try docpkg("cloud", "check", "laptop", "--read")
  }
}

@Suite("A merge of databases", .tags(.process, .crash, .scale))
struct CloudMergeCrashTests {
  /// `MERGE_KILLS` is the number of kills; without it there are few.
  private static let kills = ProcessInfo.processInfo.environment["MERGE_KILLS"].flatMap { Int($0) } ?? 10

  @Test(
    .tracing,
    arguments: [Breaking.kill, .error(.noSpace), .error(.ioError)])
  func `that is broken at any call leaves the old rows or the merged ones, and loses none`(
    _ breaking: Breaking
  )
    async throws
  {
    let calls = try await wholeMerge()
    let points = Points.of(calls, sample: Self.kills)
    var failures = 0
    for point in points {
      if try await check(breaking, at: point, of: calls) { failures += 1 }
    }
    print("  merge, \(breaking): \(points.count) of \(calls.count) calls, \(failures) runs failed")
  }

  @Test(.tracing)
  func `that cannot look at the document merges in the next run, and never as plain files`() async throws {
    let part = "desktop/Book.recipebook"
    let calls = try await wholeMerge(in: part)
    let looks = calls.indices.prefix(120).filter {
      calls[$0].hasSuffix("Book.recipebook ") && !calls[$0].contains(" close ")
    }
    try #require(looks.count > 4, "\(calls)")
    for look in looks {
      // The checks count, and not the status of the broken run.
      _ = try await check(.error(.ioError), at: look + 1, of: calls, in: part)
    }
  }

  @Test(.tracing)
  func `that cannot read its state or its copies merges in the next run`() async throws {
    let part = "desktop/.docpkg-cloud"
    let calls = try await wholeMerge(in: part)
    let reads = calls.indices.filter { index in
      ["pread64 ", "newfstatat ", "statx ", "openat "].contains(where: calls[index].contains)
        && ["state.sqlite ", "persistentStore "].contains(where: calls[index].hasSuffix)
    }
    try #require(reads.count > 10, "\(calls)")
    let points = Points.of(reads.map { calls[$0] }, sample: Self.kills)
    for point in points {
      _ = try await check(.error(.ioError), at: reads[point - 1] + 1, of: calls, in: part)
    }
    print("  merge, error at \(points.count) of \(reads.count) reads")
  }

  /// Merges without a broken call; returns the calls.
  private func wholeMerge(in part: String = ".") async throws -> [String] {
    var calls: [String] = []
    try await withTemporaryDirectory { folder in
      let books = try TwoBooks(in: folder)
      let whole = try books.merge(.nothing, at: 0, in: part)
      #expect(whole.run.status == 1, "the merge leaves a conflict: \(whole.run.errors)")
      calls = whole.calls
      try books.check("whole")
    }
    return calls
  }

  /// Breaks a merge at a call; returns whether the run failed.
  private func check(
    _ breaking: Breaking, at point: Int, of calls: [String], in part: String = "."
  ) async throws -> Bool {
    var hasFailed = false
    try await withTemporaryDirectory { folder in
      let books = try TwoBooks(in: folder)
      let broken = try books.merge(breaking, at: point, in: part)
      hasFailed = broken.run.status > 1
      try books.check(
        "\(breaking) at call \(point) of \(calls.count): \(broken.calls.dropFirst(point - 1).first ?? "none")"
      )
    }
    return hasFailed
  }
}
