import FoundationEssentials

/// The bytes of a file, from which alone it shows whether they are whole.
enum Content {
  /// A first line `generation G NAME`, padding of a length that the name and the generation give, and a last
  /// line `end G NAME`.
  static func bytes(_ generation: Int, _ name: String) -> Data {
    let mark = "\(generation) \(name)"
    let line = "padding of \(mark) "
    // FNV-1a, so that every run of the program has the same lengths.
    let hash = mark.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    var text = "generation \(mark)\n"
    for _ in 0...(Int(hash % 9000) / line.utf8.count) { text += line }
    return Data("\(text)\nend \(mark)\n".utf8)
  }

  /// Which generation of which name the bytes are, nil when they are not whole.
  static func parse(_ data: Data) -> (generation: Int, name: String)? {
    let first = String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let words = first.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "generation", let generation = Int(words[1]) else { return nil }
    let name = String(words[2])
    return data == bytes(generation, name) ? (generation, name) : nil
  }
}
