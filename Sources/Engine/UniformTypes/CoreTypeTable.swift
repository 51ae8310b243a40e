import Glibc
import Synchronization

/// The types of a text with a line for each: see `CoreTypes`.
///
/// A program asks for few types, or for many. So the first questions search the text, and read the lines that they
/// find. Then the whole text is read.
package final class CoreTypeTable: Sendable {
  /// The number of searches that cost less than to read the text.
  private static let searchCount = 60

  private struct Found {
    var entries: [String: TypeEntry?] = [:]
    var keys: [TypeTag: [String]] = [:]
    /// The whole text, once it was read.
    var table: TypeTable?
  }

  private let texts: [String]
  private let found = Mutex(Found())

  /// - Parameter texts: lines that `CoreTypes` can read, each with an identifier of its own.
  package init(_ texts: [String]) { self.texts = texts }

  /// Returns the facts about the type with a key; nil if there is none.
  package subscript(_ key: String) -> TypeEntry? {
    found.withLock { found in
      if let table = table(&found) { return table[key] }
      if let entry = found.entries[key] { return entry }
      let entry = lines(with: key, inColumn: 0).first
      found.entries[key] = .some(entry)
      return entry
    }
  }

  /// Returns the keys of the types that have a tag, in the order of the text.
  package func keys(_ tag: TypeTag) -> [String] {
    let column: Int
    switch tag.tagClass {
    case .filenameExtension: column = 2
    case .mimeType: column = 3
    default: return []
    }
    return found.withLock { found in
      if let table = table(&found) { return table.keys(tag) }
      if let keys = found.keys[tag] { return keys }
      let entries = lines(with: tag.value, inColumn: column)
      for entry in entries { found.entries[entry.key] = entry }
      found.keys[tag] = entries.map(\.key)
      return entries.map(\.key)
    }
  }

  /// Every identifier, in no order.
  package var identifiers: [String] {
    found.withLock { found in
      let table = found.table ?? CoreTypes.table(from: texts)
      found.table = table
      return table.identifiers
    }
  }

  /// Returns the whole table if there were many questions.
  private func table(_ found: inout Found) -> TypeTable? {
    if found.table == nil, found.entries.count + found.keys.count >= Self.searchCount {
      found = Found(table: CoreTypes.table(from: texts))
    }
    return found.table
  }

  // MARK: Searching

  /// Returns the entries of the lines that have a word in a column.
  private func lines(with word: String, inColumn column: Int) -> [TypeEntry] {
    var word = word
    return word.withUTF8 { word in
      guard !word.isEmpty, !word.contains(where: { " |\n".utf8.contains($0) }) else { return [] }
      return texts.flatMap { text in
        var text = text
        return text.withUTF8 { Self.lines(of: $0, with: word, inColumn: column) }
      }
    }
  }

  private static func lines(
    of text: UnsafeBufferPointer<UInt8>, with word: UnsafeBufferPointer<UInt8>, inColumn column: Int
  ) -> [TypeEntry] {
    var (entries, start) = ([TypeEntry](), 0)
    while let place = position(of: word, in: text, from: start) {
      start = place + 1
      guard isWord(place..<place + word.count, of: text) else { continue }
      var (line, columns) = (place, 0)
      while line > 0, text[line - 1] != UInt8(ascii: "\n") {
        line -= 1
        if text[line] == UInt8(ascii: "|") { columns += 1 }
      }
      guard columns == column else { continue }
      let end = text[place...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      if let entry = CoreTypes.entry(text[line..<end]) { entries.append(entry) }
      start = end
    }
    return entries
  }

  /// Whether bytes end where words do.
  private static func isWord(_ range: Range<Int>, of text: UnsafeBufferPointer<UInt8>) -> Bool {
    func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }
    return (range.lowerBound == 0 || isEnd(text[range.lowerBound - 1]))
      && (range.upperBound == text.count || isEnd(text[range.upperBound]))
  }

  private static func position(
    of word: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    guard let base = text.baseAddress, let wordBase = word.baseAddress else { return nil }
    var start = start
    while start + word.count <= text.count,
      let found = memchr(base + start, Int32(wordBase[0]), text.count - start - word.count + 1)
    {
      if memcmp(found, wordBase, word.count) == 0 { return UnsafeRawPointer(found) - UnsafeRawPointer(base) }
      start = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
    }
    return nil
  }
}
