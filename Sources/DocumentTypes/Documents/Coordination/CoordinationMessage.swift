/// A move during an access.
struct ItemMove: Sendable, Hashable, Codable {
  var old: ItemPlace
  var new: ItemPlace
}

/// A message between a coordinator and a process with presenters.
enum CoordinationMessage: Sendable, Hashable, Codable {
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
}
