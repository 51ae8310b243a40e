import DurableIO
import FoundationEssentials
import SystemPackage

/// Records for another process: each is a line of JSON.
///
/// The bytes may come from any program, and the last line may be incomplete.
struct Records {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  static func line(_ record: some Encodable) throws(SystemError) -> [UInt8] {
    do {
      return try Array(JSONEncoder().encode(record)) + [UInt8(ascii: "\n")]
    } catch {
      // JSON has no endless numbers, and no record has one.
      throw SystemError("encode", code: .invalidArgument)
    }
  }

  /// The next record; nil if there is no whole line, or one that no writer would have written.
  mutating func next<Record: Decodable>(_ type: Record.Type = Record.self) -> Record? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest = rest[(end + 1)...] }
    do { return try JSONDecoder().decode(type, from: Data(rest[..<end])) } catch { return nil }
  }
}

extension ItemPlace: Codable {
  private enum CodingKeys: CodingKey { case names, nodes }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    names = try fields.decode([String].self, forKey: .names).map { FileName($0) }
    let numbers = try fields.decode([UInt64?].self, forKey: .nodes)
    nodes = stride(from: 0, to: numbers.count - 1, by: 2).map { index in
      guard let device = numbers[index], let inode = numbers[index + 1] else { return nil }
      return Node(device: device, inode: inode)
    }
    guard names.allSatisfy({ $0.problem == nil }), nodes.count == names.count + 1 else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no place"))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(names.map(\.string), forKey: .names)
    try fields.encode(nodes.flatMap { [$0?.device, $0?.inode] }, forKey: .nodes)
  }
}
