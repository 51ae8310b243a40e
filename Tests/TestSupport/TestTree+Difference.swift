import DurableIO

extension TestTree {
  /// Returns the differences of a tree from this one, a line for each place; empty if they are equal.
  package func differences(in found: TestTree) -> String {
    lines(in: found, at: "").joined(separator: "\n")
  }

  private func lines(in found: TestTree, at path: String) -> [String] {
    if self == found { return [] }
    guard case .directory(let expected) = self, case .directory(let entries) = found else {
      return ["\(path.isEmpty ? "/" : path): expected \(summary), found \(found.summary)"]
    }
    return Set(expected.keys).union(entries.keys).sorted().flatMap { name -> [String] in
      let path = path.isEmpty ? name.display : "\(path)/\(name.display)"
      guard let found = entries[name] else {
        return ["\(path): missing, expected \(expected[name]?.summary ?? "nothing")"]
      }
      return expected[name]?.lines(in: found, at: path) ?? ["\(path): unexpected, found \(found.summary)"]
    }
  }

  /// This node in a few words.
  private var summary: String {
    switch self {
    case .file(let bytes, let mode):
      "a file of \(bytes.count) bytes \(Self.quoted(bytes)), mode \(String(mode, radix: 8))"
    case .directory(let entries): "a directory of \(entries.count) entries"
    case .link(let destination): "a symbolic link to \(Self.quoted(destination))"
    case .other(let kind): kind.words
    }
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    let text = FileName(bytes: Array(bytes.prefix(40))).display
    return "'\(text)\(bytes.count > 40 ? "…" : "")'"
  }
}
