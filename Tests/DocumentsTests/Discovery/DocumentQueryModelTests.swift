import Documents
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("A query, whatever happens in the folders", .tags(.scale), .serialized, .temporaryDirectory)
struct DocumentQueryModelTests {
  private static let folders = ["One", "Two", "One/Inner"]

  @Test(arguments: 1...40)
  func `has what a fresh walk finds, and told what led there`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for name in ["One", "Two", "Outside"] { try scratch.makeFolder(name) }
    for _ in 0..<20 { Step.random(&generator).carryOut(in: scratch, &generator) }
    let query = DocumentQuery(
      DocumentSearch(in: Self.folders.map(scratch.url)), options: seed % 2 == 0 ? .hasty : .patient)
    query.start()
    var heard = HeardResults()
    var steps: [Step] = []
    for round in 0..<60 {
      // Now and then the query looks while the steps go on.
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let step = Step.random(&generator)
        steps.append(step)
        step.carryOut(in: scratch, &generator)
      }
      await query.update()
      var told = try Self.differences(query, scratch)
      // A file that is open for writing while another test starts a process is closed late, and the kernel tells the
      // change only then.
      for _ in 0..<500 where told != [] {
        try await Task.sleep(for: .milliseconds(10))
        await query.update()
        told = try Self.differences(query, scratch)
      }
      heard.hear(query)
      let results = Dictionary(grouping: query.results, by: \.path)
      try #require(results.values.allSatisfy { $0.count == 1 })
      try #require(told == [], "round \(round) of \(seed) after \(steps.suffix(12).map(\.rawValue))")
      try #require(heard.items == results.mapValues { $0[0] }, "round \(round) of \(seed)")
      if round == 30 {
        // A new run tells everything again.
        query.search = query.search
      }
    }
    #expect(heard.counts.added > 5 && heard.counts.moved > 0 && heard.counts.removed > 3, "\(heard.counts)")
    await query.stop()
  }

  /// Returns the documents that the query has otherwise than a fresh walk.
  private static func differences(_ query: DocumentQuery, _ scratch: DiscoveryScratch) throws -> [String] {
    let walked = try scratch.walk(["One", "Two"])
    let found = Dictionary(query.results.map { ($0.path, DiscoveryScratch.Found($0)) }) { first, _ in first }
    return Set(found.keys).union(walked.keys).filter { found[$0] != walked[$0] }.sorted().map {
      "\($0.dropFirst(scratch.path.count)): \(found[$0] as Any), and on disk \(walked[$0] as Any)"
    }
  }

  /// A change that a user or a program makes.
  private enum Step: String, CaseIterable {
    case makePackage, makeFile, makeFolder, rename, renameAgain, exchange, remove, save, writeInside, append,
      replace
    case becomePackage, beginPackage, describePackage, becomeFolder, losePlist, link, hide, leave, enter

    static func random(_ generator: inout SeededGenerator) -> Step {
      allCases.randomElement(using: &generator) ?? .makeFile
    }

    /// Makes the change. A change that fails, because of the items at its paths, is no step.
    func carryOut(in scratch: DiscoveryScratch, _ generator: inout SeededGenerator) {
      func any(_ ending: String? = nil) -> String {
        let folders = ["One", "Two", "One/Inner", "Two/Deep", "Two/Deep/Er", "One/F", "Two/F", "One/Inner/G"]
        let names = ["A.dnote", "B.dnote", "c.txt", "d.txt", "F", "G", "Inner", "Deep", "Er"]
        let name = names.filter { ending.map($0.hasSuffix) ?? true }.randomElement(using: &generator) ?? "F"
        return (folders.randomElement(using: &generator) ?? "One") + "/" + name
      }
      func present(_ ending: String? = nil) -> String {
        let names = (0..<12).map { _ in any(ending) }
        return names.first { access(scratch.text($0), F_OK) == 0 } ?? names[0]
      }
      switch self {
      case .makePackage: try? scratch.makePackage(any(".dnote"))
      case .makeFile: try? scratch.write("text", to: any(".txt"))
      case .makeFolder: try? scratch.makeFolder(any("F"))
      case .rename, .renameAgain: _ = Glibc.rename(scratch.text(present()), scratch.text(any()))
      case .exchange: try? scratch.exchange(present(), present())
      case .remove: try? scratch.remove(present())
      case .save:
        let name = present(".dnote")
        if access(scratch.text(name), F_OK) == 0 { try? scratch.save(name) }
      case .writeInside: try? scratch.write("another text", to: present(".dnote") + "/Text.txt")
      case .append:
        let file = open(scratch.text(present(".txt")), O_WRONLY | O_APPEND)
        if file >= 0 {
          write(file, "x", 1)
          close(file)
        }
      case .replace:
        try? scratch.write("other", to: "Outside/new")
        _ = Glibc.rename(scratch.text("Outside/new"), scratch.text(any(".txt")))
      case .becomePackage: try? scratch.makeSaved(present())
      case .beginPackage: _ = mkdir(scratch.text(present()) + "/.docpkg", 0o700)
      case .describePackage: try? scratch.write("plist", to: present() + "/Metadata.plist")
      case .becomeFolder: try? scratch.remove(present() + "/.docpkg")
      case .losePlist: try? scratch.remove(present() + "/Metadata.plist")
      case .link: _ = symlink(scratch.text("One"), scratch.text(any()))
      case .hide: _ = Glibc.rename(scratch.text(present()), scratch.text("One/.hidden"))
      case .leave:
        _ = Glibc.rename(
          scratch.text(present()), scratch.text("Outside/\(Int.random(in: 0..<9, using: &generator))"))
      case .enter:
        _ = Glibc.rename(
          scratch.text("Outside/\(Int.random(in: 0..<9, using: &generator))"), scratch.text(any()))
      }
    }
  }
}
