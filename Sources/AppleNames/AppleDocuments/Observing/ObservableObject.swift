import Synchronization

/// A class that tells when it changes.
///
/// Counterpart of Combine's `ObservableObject`. `objectWillChange` is there without any code of the class, and each
/// change of a `@Published` property sends it.
public protocol ObservableObject: AnyObject {
  /// The type of `objectWillChange`.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher

  /// The publisher that tells before each change.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// The publisher of this object, the same one for each call.
  public var objectWillChange: ObservableObjectPublisher { ObservableObjectPublisher.publisher(of: self) }
}

/// The publisher that tells that an object is about to change.
public final class ObservableObjectPublisher: Publisher, Sendable {
  private let subscribers = Subscribers<Void>()

  /// Makes a publisher without subscribers.
  public init() {}

  /// Tells that the object is about to change.
  public func send() { subscribers.send(()) }

  /// Calls `receiveValue` before each change until the returned object is cancelled or gone.
  public func sink(receiveValue: @escaping (()) -> Void) -> AnyCancellable { subscribers.add(receiveValue) }

  // MARK: The publishers of objects

  // `@unchecked`: the object is only compared.
  private struct Entry: @unchecked Sendable {
    weak var object: AnyObject?
    let publisher = ObservableObjectPublisher()
  }

  private struct Table {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which those of gone objects are removed.
    var limit = 64
  }

  private static let table = Mutex(Table())

  /// Returns the publisher of an object that has no property for it.
  static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
    let (number, new) = (ObjectIdentifier(object), Entry(object: object))
    return table.withLock { table in
      // A new object may have the identifier of one that is gone.
      if let entry = table.entries[number], entry.object === new.object { return entry.publisher }
      if table.entries.count >= table.limit {
        table.entries = table.entries.filter { $0.value.object != nil }
        table.limit = max(64, table.entries.count * 2)
      }
      table.entries[number] = new
      return new.publisher
    }
  }
}
