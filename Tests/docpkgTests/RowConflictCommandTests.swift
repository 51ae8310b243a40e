import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg and rows in conflict", .tags(.process))
struct RowConflictCommandTests {
  private func output(_ arguments: String..., in folder: FilePath) throws -> String {
    let run = try run(tool, arguments, in: folder)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    return run.output
  }

  /// Makes a document on a laptop and a desktop whose file `even` both changed, and merges it.
  private func makeConflict(in folder: FilePath) throws {
    let run = try Program("bookkeeper").run(
      [folder.appending("Book.recipebook").string, "0", "2"], in: folder, input: "")
    try #require(run.status == 0, "\(run.output)")
    try FileManager.default.createDirectory(
      atPath: folder.appending("store").string, withIntermediateDirectories: false)
    _ = try output("cloud", "init", "store", "laptop", "--device", "laptop", in: folder)
    _ = try output("cloud", "add", "store", "desktop", "--device", "desktop", in: folder)
    _ = try output("copy", "Book.recipebook", "laptop/Book.recipebook", in: folder)
    for device in ["laptop", "desktop"] { _ = try output("cloud", "sync", device, in: folder) }
    _ = try output("cloud", "download", "desktop/Book.recipebook", in: folder)
    for device in ["laptop", "desktop"] {
      try Data(device.utf8).write(to: URL(filePath: folder.appending(device + ".txt").string))
      _ = try output(
        "edit", "\(device)/Book.recipebook", "--set", "AdditionalContent/even=\(device).txt", in: folder)
    }
    // A run that leaves a conflict ends with 1.
    for (device, status) in [("laptop", 0), ("desktop", 1), ("laptop", 0)] as [(String, Int32)] {
      let run = try docpkg("cloud", "sync", device, in: folder)
      try #require(run.status == status, "\(device): \(run.output)\(run.errors)")
    }
  }

  private func even(_ device: String, in folder: FilePath) throws -> String {
    try output("cat", "\(device)/Book.recipebook", "AdditionalContent/even", in: folder)
  }

  @Test func `resolve gives a row its other values, on all machines`() async throws {
    try await withTemporaryDirectory { folder in
      try makeConflict(in: folder)
      for device in ["laptop", "desktop"] { #expect(try even(device, in: folder) == "desktop") }
      let conflicts = try docpkg("conflicts", "laptop/Book.recipebook", in: folder)
      #expect(conflicts.status == 1 && conflicts.output.contains("  AdditionalContent even: digest "))
      let id = try #require(conflicts.output.split(separator: " ").first.map(String.init))
      #expect(
        try output("resolve", "laptop/Book.recipebook", "--keep", id, in: folder)
          == "laptop/Book.recipebook: resolved 1 conflict\n")
      for device in ["laptop", "desktop"] {
        _ = try output("cloud", "sync", device, in: folder)
        #expect(try even(device, in: folder) == "laptop")
        #expect(
          try output("conflicts", "\(device)/Book.recipebook", in: folder)
            == "\(device)/Book.recipebook: nothing is in conflict\n")
      }
    }
  }

  @Test func `resolve leaves all rows as they are, and refuses what no row is`() async throws {
    try await withTemporaryDirectory { folder in
      try makeConflict(in: folder)
      #expect(try docpkg("resolve", "desktop/Book.recipebook", "--merge", in: folder).status == 64)
      #expect(try docpkg("resolve", "desktop/Book.recipebook", "--keep", "FFFFFFFF0", in: folder).status == 2)
      _ = try output("resolve", "desktop/Book.recipebook", "--keep", "present", in: folder)
      for device in ["desktop", "laptop"] {
        _ = try output("cloud", "sync", device, in: folder)
        #expect(try even(device, in: folder) == "desktop")
        #expect(try docpkg("conflicts", "\(device)/Book.recipebook", in: folder).status == 0)
      }
    }
  }
}
