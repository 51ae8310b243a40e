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
