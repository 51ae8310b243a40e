import ManagedDocuments
import TestSupport
import Testing

/// The calls of a program that edits, saves and closes a document: a save is one flush of the log (MS1), and no file gets
/// its name before that (MP1).
@Suite("The flushes of a save", .tags(.process), .tracing, .temporaryDirectory)
struct ManagedFlushTests {
  /// One system call.
  private struct Call: CustomStringConvertible {
    var name: String
    var files: [String]
    var description: String { ([name] + files).joined(separator: " ") }

    init(_ line: String) {
      let words = line.split(separator: " ").map(String.init)
      name = words[1]
      files = words.dropFirst(2).map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    }

    var isFlush: Bool { name == "fsync" || name == "fdatasync" }
    var isRename: Bool { name.hasPrefix("rename") || name == "linkat" }
    var isWrite: Bool { name.hasPrefix("write") || name.hasPrefix("pwrite") }
    func isOf(_ file: String) -> Bool { files.first == file }
    var isOutput: Bool { isWrite && files.first?.hasSuffix(".out") == true }
  }

  @Test func `are one of the log for the commit, and then those of publishing`() throws {
    let broken = BrokenBook(fixture)
    try broken.reset()
    let whole = try broken.run(.nothing, at: 0, rounds: 1...1)
    #expect(whole.run.output.split(separator: "\n") == ["edited 1", "saved 1", "closed"])
    // The program's output parts the calls of its steps.
    let steps = whole.calls.map(Call.init).split(omittingEmptySubsequences: false, whereSeparator: \.isOutput)
    try #require(steps.count == 4)
    let (editing, saving, closing) = (steps[0], steps[1], steps[2])
    let log = "persistentStore-wal"
    // The large file is durable before the edit is there, in a folder that is, and nothing is flushed for the small ones.
    let hidden = editing.lastIndex { $0.isFlush && $0.isOf("Recipes.recipebook") }
    let large = editing.firstIndex { $0.isFlush && $0.files.first?.hasPrefix("new-") == true }
    if let hidden, let large { #expect(hidden < large) } else { Issue.record("no durable folder or file") }
    #expect(
      editing.filter { $0.isFlush && $0.isOf(log) }.count <= 1,
      "the first transaction flushes the log's header")

    #expect(saving.filter(\.isFlush).map(\.description) == ["fdatasync \(log)"])
    #expect(saving.filter(\.isRename).isEmpty, "published before the commit")
    let (lastWrite, flush) = (
      saving.lastIndex { $0.isWrite && $0.isOf(log) }, saving.firstIndex(where: \.isFlush)
    )
    if let lastWrite, let flush { #expect(lastWrite < flush) } else { Issue.record("no write and flush") }

    // Each published file is flushed under its staged name before it gets its visible one (MP2).
    let published = closing.prefix { !($0.isFlush && $0.isOf(log)) }
    for name in ["1", "2", "Metadata.plist"] {
      let end = published.lastIndex { $0.isRename && $0.files.last == name }
      #expect(
        end.map { published[..<$0].contains { $0.isFlush && $0.isOf("unfinished") } } == true, "\(name)")
    }
    let flushes = published.filter(\.isFlush).compactMap(\.files.first)
    #expect(flushes.filter { $0 == "unfinished" }.count == 3, "two small files and Metadata.plist")
    #expect(
      Set(flushes) == ["objects", "unfinished", "AdditionalContent", "Pictures"],
      "replaced files, staged files, folders")
  }
}
