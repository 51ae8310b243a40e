/// A move during an access.
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

/// A message between a coordinator and a process with presenters.
enum CoordinationMessage: Sendable, Hashable {
  /// To presenters: this access wants to begin.
  case ask(AccessRequest)
  /// From presenters: the access may begin.
  case ready
  /// From presenters: one of them refused the access.
  case refused(reason: String)
  /// To presenters: the access is over.
  case done(moves: [ItemMove])
  /// To presenters that were not asked: the access is over.
  case tell(AccessRequest, moves: [ItemMove])

  /// The limit of a message's length. The longest message is shorter: two moves between paths of 4096 bytes and as many
  /// folders.
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
