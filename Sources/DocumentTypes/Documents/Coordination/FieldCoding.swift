import DurableIO
import FoundationEssentials

/// Writes a message or a file for another process: fields of bytes with a NUL after each, as no path contains one.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ field: some Sequence<UInt8>) {
    bytes += field.lazy.filter { $0 != 0 }
    bytes.append(0)
  }

  mutating func append(_ text: String) { append(text.utf8) }
  mutating func append(_ number: some BinaryInteger) { append("\(number)") }
}

/// Reads the fields that a `FieldWriter` wrote.
///
/// The bytes may come from any program. The reader returns nil for bytes that a writer would not have written, and
/// spends no more than their length.
struct FieldReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(Array(bytes)) }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func field() -> [UInt8]? {
    guard let end = rest.firstIndex(of: 0) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return Array(rest[..<end])
  }

  mutating func text() -> String? { field().flatMap { String(validating: $0, as: UTF8.self) } }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    text().flatMap { Number($0) }
  }
}

extension FileAccessHolder {
  func encode(to writer: inout FieldWriter) {
    writer.append(processName)
    writer.append(processIdentifier)
    writer.append(host)
    writer.append(Int64(since.timeIntervalSince1970))
  }

  init?(_ reader: inout FieldReader) {
    guard let name = reader.text(), let number = reader.number(Int32.self), let host = reader.text(),
      let since = reader.number(Int64.self), abs(since) < 1 << 40
    else { return nil }
    self.init(
      processName: name, processIdentifier: number, host: host,
      since: Date(timeIntervalSince1970: Double(since)))
  }
}

extension ItemPlace {
  func encode(to writer: inout FieldWriter) {
    writer.append(names.count)
    for name in names { writer.append(name.bytes) }
    for node in nodes { writer.append(node.map { "\($0.device):\($0.inode)" } ?? "") }
  }

  init?(_ reader: inout FieldReader) {
    guard let count = reader.number(Int.self), (0...4096).contains(count) else { return nil }
    var (names, nodes): ([FileName], [Node?]) = ([], [])
    for _ in 0..<count {
      guard let bytes = reader.field(), FileName(bytes: bytes).problem == nil else { return nil }
      names.append(FileName(bytes: bytes))
    }
    for _ in 0...count {
      guard let text = reader.text() else { return nil }
      let numbers = text.split(separator: ":").map { UInt64($0) }
      if text.isEmpty {
        nodes.append(nil)
      } else if numbers.count == 2, let device = numbers[0], let inode = numbers[1] {
        nodes.append(Node(device: device, inode: inode))
      } else {
        return nil
      }
    }
    self.init(names: names, nodes: nodes)
  }
}

extension AccessRequest {
  func encode(to writer: inout FieldWriter) {
    writer.append(kind.rawValue)
    writer.append(options)
    writer.append(purpose)
    holder.encode(to: &writer)
    item.encode(to: &writer)
    writer.append(unitLevels)
    writer.append(coversContents ? 1 : 0)
  }

  init?(_ reader: inout FieldReader) {
    guard let kind = reader.text().flatMap({ Kind(rawValue: $0) }), let options = reader.number(UInt.self),
      let purpose = reader.text(), let holder = FileAccessHolder(&reader), let item = ItemPlace(&reader),
      let unitLevels = reader.number(Int.self), (0...item.names.count).contains(unitLevels),
      let covers = reader.number(Int.self)
    else { return nil }
    self.init(
      kind: kind, options: options, purpose: purpose, holder: holder, item: item, unitLevels: unitLevels,
      coversContents: covers == 1)
  }
}
