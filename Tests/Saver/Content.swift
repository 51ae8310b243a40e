import FoundationEssentials

/// The bytes of a file that prove by themselves whether they are whole.
enum Content {
  /// Returns a first line `generation G NAME`, padding, and a last line `end G NAME`. The name and the generation
  /// give the length of the padding.
  static func bytes(_ generation: Int, _ name: String) -> Data {
    let mark = "\(generation) \(name)"
    let line = "padding of \(mark) "
    // FNV-1a gives the same lengths in every run of the program.
    let hash = mark.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    var text = "generation \(mark)\n"
    for _ in 0...(Int(hash % 9000) / line.utf8.count) { text += line }
    return Data("\(text)\nend \(mark)\n".utf8)
  }

  /// Returns the generation and the name in the bytes; nil if they are not whole.
  static func parse(_ data: Data) -> (generation: Int, name: String)? {
    let first = String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let words = first.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "generation", let generation = Int(words[1]) else { return nil }
    let name = String(words[2])
    return data == bytes(generation, name) ? (generation, name) : nil
  }
}
