/// A property of a class that publishes its changes.
///
/// Counterpart of Combine's `Published`. Before a change the class's `objectWillChange` is sent, and `$name` publishes
/// the new value.
@propertyWrapper
public struct Published<Value> {
  fileprivate final class Box {
    var value: Value
    let subscribers = Subscribers<Value>()

    init(_ value: Value) { self.value = value }
  }

  private let box: Box

  /// Makes a property with this value.
  public init(wrappedValue: Value) { box = Box(wrappedValue) }

  /// Makes a property with this value.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// Only classes have published properties.
  @available(*, unavailable, message: "@Published is for properties of classes")
  public var wrappedValue: Value {
    get { box.value }
    set { box.value = newValue }
  }

  /// The value of a class's property.
  public static subscript<Owner: AnyObject>(
    _enclosingInstance object: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Published>
  ) -> Value {
    get { object[keyPath: storage].box.value }
    set {
      let observable = object as? any ObservableObject
      (observable?.objectWillChange as? ObservableObjectPublisher)?.send()
      let box = object[keyPath: storage].box
      box.subscribers.send(newValue)
      box.value = newValue
    }
  }

  /// The publisher of the values.
  public var projectedValue: Publisher { Publisher(box) }

  /// Publishes the present value to a new subscriber, and each later one before it is set.
  public struct Publisher: AppleDocuments.Publisher {
    /// The type of the values.
    public typealias Output = Value
    /// It never fails.
    public typealias Failure = Never

    private let box: Box

    fileprivate init(_ box: Box) { self.box = box }

    /// Calls `receiveValue` for the present value, and for each later one until the returned object is cancelled or
    /// gone.
    public func sink(receiveValue: @escaping (Value) -> Void) -> AnyCancellable {
      receiveValue(box.value)
      return box.subscribers.add(receiveValue)
    }
  }
}
