/// A source of values for its subscribers.
///
/// It stands for Combine's `Publisher`, as far as document models use it. Publishers here call their subscribers on the
/// thread of the sender, and never complete.
public protocol Publisher<Output, Failure> {
  /// The type of the values.
  associatedtype Output
  /// The type of a failure; publishers here never fail.
  associatedtype Failure: Error = Never

  /// Calls `receiveValue` for each value until the returned object is cancelled or gone.
  func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable
}

extension Publisher {
  /// Hides the type of the publisher.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher { sink(receiveValue: $0) }
  }

  /// Publishes the results of `transform`.
  public func map<Result>(_ transform: @escaping (Output) -> Result) -> AnyPublisher<Result, Failure> {
    AnyPublisher { receive in sink { receive(transform($0)) } }
  }

  /// Publishes the results of `transform` that are not nil.
  public func compactMap<Result>(
    _ transform: @escaping (Output) -> Result?
  ) -> AnyPublisher<Result, Failure> {
    AnyPublisher { receive in sink { value in transform(value).map(receive) } }
  }

  /// Publishes the values that satisfy the condition.
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    AnyPublisher { receive in sink { value in if isIncluded(value) { receive(value) } } }
  }

  /// Leaves out the first values.
  public func dropFirst(_ count: Int = 1) -> AnyPublisher<Output, Failure> {
    AnyPublisher { receive in
      var left = count
      return sink { value in
        if left > 0 { left -= 1 } else { receive(value) }
      }
    }
  }
}

extension Publisher where Output: Equatable {
  /// Leaves out a value that equals the one before.
  public func removeDuplicates() -> AnyPublisher<Output, Failure> {
    AnyPublisher { receive in
      var last: Output?
      return sink { value in
        if last == value { return }
        last = value
        receive(value)
      }
    }
  }
}

/// A publisher whose type is hidden.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  private let subscribe: (@escaping (Output) -> Void) -> AnyCancellable

  init(subscribe: @escaping (@escaping (Output) -> Void) -> AnyCancellable) { self.subscribe = subscribe }

  /// Hides the type of a publisher.
  public init<Source: Publisher<Output, Failure>>(_ publisher: Source) {
    self.init { publisher.sink(receiveValue: $0) }
  }

  /// Calls `receiveValue` for each value until the returned object is cancelled or gone.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { subscribe(receiveValue) }
}
