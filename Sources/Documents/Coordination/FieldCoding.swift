import DurableIO
import FoundationEssentials

// (1) What is read may be anybody's bytes: whatever is not exactly what is written here is nil, and costs no more than
//     its own length.

/// What processes write for each other: fields of bytes with a NUL between them, as no path has one.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ field: some Sequence<UInt8>) {
    bytes += field.lazy.filter { $0 != 0 }
    bytes.append(0)
  }

  mutating func append(_ text: String) { append(text.utf8) }
  mutating func append(_ number: some BinaryInteger) { append("\(number)") }
}

/// Reads what `FieldWriter` wrote.
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

/// A move that was made during an access.
struct ItemMove: Sendable, Hashable {
  var old: ItemPlace
  var new: ItemPlace

  func encode(to writer: inout FieldWriter) {
    old.encode(to: &writer)
    new.encode(to: &writer)
  }

  init(from old: ItemPlace, to new: ItemPlace) { (self.old, self.new) = (old, new) }

  init?(_ reader: inout FieldReader) {
    guard let old = ItemPlace(&reader), let new = ItemPlace(&reader) else { return nil }
    self.init(from: old, to: new)
  }
}

/// What is said between a coordinator and the process of presenters.
enum CoordinationMessage: Sendable, Hashable {
  /// To presenters: this access is to begin.
  case ask(AccessRequest)
  /// From presenters: it may.
  case ready
  /// From presenters: one of them refused.
  case refused(reason: String)
  /// To presenters: it is over.
  case done(moves: [ItemMove])
  /// To presenters that need not be asked: it is over.
  case tell(AccessRequest, moves: [ItemMove])

  /// More than the longest one, two moves between paths of 4096 bytes and as many folders, takes.
  static let maximumLength = 256 << 10

  private static let format = "filepackages 1"

  var bytes: [UInt8] {
    var writer = FieldWriter()
    writer.append(Self.format)
    switch self {
    case .ask(let request):
      writer.append("ask")
      request.encode(to: &writer)
    case .ready: writer.append("ready")
    case .refused(let reason):
      writer.append("refused")
      writer.append(reason)
    case .done(let moves):
      writer.append("done")
      for move in moves { move.encode(to: &writer) }
    case .tell(let request, let moves):
      writer.append("tell")
      request.encode(to: &writer)
      for move in moves { move.encode(to: &writer) }
    }
    return writer.bytes
  }

  init?(_ bytes: [UInt8]) {
    var reader = FieldReader(bytes)
    guard reader.text() == Self.format, let verb = reader.text() else { return nil }
    switch verb {
    case "ask":
      guard let request = AccessRequest(&reader) else { return nil }
      self = .ask(request)
    case "ready": self = .ready
    case "refused":
      guard let reason = reader.text() else { return nil }
      self = .refused(reason: reason)
    case "done":
      guard let moves = Self.moves(&reader) else { return nil }
      self = .done(moves: moves)
    case "tell":
      guard let request = AccessRequest(&reader), let moves = Self.moves(&reader) else { return nil }
      self = .tell(request, moves: moves)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }

  private static func moves(_ reader: inout FieldReader) -> [ItemMove]? {
    var moves: [ItemMove] = []
    while !reader.isAtEnd {
      guard let move = ItemMove(&reader) else { return nil }
      moves.append(move)
    }
    return moves
  }
}
