import TestSupport
import Testing

@Suite("docpkg and rows in conflict", .tags(.process), .temporaryDirectory)
struct RowConflictCommandTests {
  /// Makes a document on a laptop and a desktop whose file `even` both changed, and merges it.
  private func makeConflict() throws {
    try makeBook()
    try makeDirectory("store")
    try output("cloud", "init", "store", "laptop", "--device", "laptop")
    try output("cloud", "add", "store", "desktop", "--device", "desktop")
    try output("copy", "Book.recipebook", "laptop/Book.recipebook")
    for device in ["laptop", "desktop"] { try output("cloud", "sync", device) }
    try output("cloud", "download", "desktop/Book.recipebook")
    for device in ["laptop", "desktop"] {
      try write(device, to: "\(device).txt")
      try output("edit", "\(device)/Book.recipebook", "--set", "AdditionalContent/even=\(device).txt")
    }
    // A run that leaves a conflict ends with 1.
    for (device, status) in [("laptop", 0), ("desktop", 1), ("laptop", 0)] as [(String, Int32)] {
      let run = try docpkg("cloud", "sync", device)
      try #require(run.status == status, "\(device): \(run.output)\(run.errors)")
    }
  }

  private func even(_ device: String) throws -> String {
    try output("cat", "\(device)/Book.recipebook", "AdditionalContent/even")
  }

  @Test func `resolve gives a row its other values, on all machines`() throws {
    try makeConflict()
    for device in ["laptop", "desktop"] { #expect(try even(device) == "desktop") }
    let conflicts = try docpkg("conflicts", "laptop/Book.recipebook")
    #expect(conflicts.status == 1 && conflicts.output.contains("  AdditionalContent even: digest "))
    let id = try #require(conflicts.output.split(separator: " ").first.map(String.init))
    #expect(
      try output("resolve", "laptop/Book.recipebook", "--keep", id)
        == "laptop/Book.recipebook: resolved 1 conflict\n")
    for device in ["laptop", "desktop"] {
      try output("cloud", "sync", device)
      #expect(try even(device) == "laptop")
      #expect(
        try output("conflicts", "\(device)/Book.recipebook")
          == "\(device)/Book.recipebook: nothing is in conflict\n")
    }
  }

  @Test func `resolve leaves all rows as they are, and refuses what no row is`() throws {
    try makeConflict()
    #expect(try docpkg("resolve", "desktop/Book.recipebook", "--merge").status == 64)
    #expect(try docpkg("resolve", "desktop/Book.recipebook", "--keep", "FFFFFFFF0").status == 2)
    try output("resolve", "desktop/Book.recipebook", "--keep", "present")
    for device in ["desktop", "laptop"] {
      try output("cloud", "sync", device)
      #expect(try even(device) == "desktop")
      try output("conflicts", "\(device)/Book.recipebook")
    }
  }
}
