/// Limits of a store in a service, which leave a part of the connection to other programs.
public struct TransferLimits: Sendable, Hashable {
  /// The number of requests at once.
  public var connections: Int
  /// The largest number of bytes a second, of all requests together, in each direction; nil for any number.
  public var bytesPerSecond: Int?

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - connections: at least 1; nil for 8, or for 1 with a largest number of bytes.
  ///   - bytesPerSecond: at least 1,024 for each of the requests at once.
  public init(connections: Int? = nil, bytesPerSecond: Int? = nil) {
    self.connections = max(1, connections ?? (bytesPerSecond == nil ? 8 : 1))
    self.bytesPerSecond = bytesPerSecond
  }

  /// The rate of one request.
  package var rate: Int? { bytesPerSecond.map { max(1_024, $0 / connections) } }
}
