import FoundationEssentials

/// A check of a store's promises (OS1, OS2, OS4), with temporary objects.
///
/// A container in a store that breaks a promise would lose versions. So a container is made only in a store that passes
/// the check. Cost: about sixty calls. The probe removes its objects.
public struct StoreProbe: Sendable {
  /// A promise that the store broke.
  ///
  /// The cases are in order: a cause before its effects.
  public enum Violation: String, Sendable, Hashable, CaseIterable {
    /// Another program copies the store between machines, so that each of them has a store of its own.
    case copied
    /// Several writers were told that they made the same object, or none was.
    case severalWinners
    /// The object does not have the winner's bytes.
    case otherBytes
    /// A read after the write did not see it.
    case staleRead
    /// A listing after the write did not have it.
    case lateListing
    /// A listing is not in the order of keys, or a page begins at the wrong key.
    case wrongOrder
    /// A read of a part of an object has other bytes.
    case wrongRange
    /// A removed object can still be read.
    case notRemoved
  }

  /// The result of a probe.
  public struct Report: Sendable, Hashable {
    /// The violations, each once; empty for a store that can hold a container.
    public var violations: [Violation]
    /// The program that copies the store between machines; nil if none is known.
    public var synchronizingProgram: String?

    /// Whether no promise was broken.
    public var isSound: Bool { violations.isEmpty }
  }

  private let store: any ObjectStore
  /// The number of writers of each round.
  private let writers = 8

  /// Makes a probe of a store.
  public init(_ store: any ObjectStore) { self.store = store }

  /// Checks the store.
  ///
  /// - Throws: the error of a call.
  public func run() async throws(ObjectStoreError) -> Report {
    var violations: Set<Violation> = []
    let program = store.synchronizingProgram
    if program != nil { violations.insert(.copied) }
    // No folder: a store of files would keep an empty one.
    let base = "probe-\(UUID().uuidString.lowercased())"
    var keys: [ObjectKey] = []
    var failure: ObjectStoreError?
    do throws(ObjectStoreError) {
      // In each race, eight writers make one object at once.
      for round in 0..<4 {
        guard let key = ObjectKey("\(base)-\(round)") else { continue }
        keys.append(key)
        try await race(for: key, &violations)
        try await look(at: key, among: keys, base, &violations)
      }
    } catch {
      failure = error
    }
    // Also after an error: the probe leaves nothing.
    for key in keys {
      do throws(ObjectStoreError) {
        try await store.delete(key)
        if try await store.get(key) != nil { violations.insert(.notRemoved) }
      } catch {
        failure = failure ?? error
      }
    }
    // A broken promise is the reason for a strange answer, such as a key that a listing has twice.
    if let failure, violations.isEmpty || failure.code != .invalidAnswer { throw failure }
    return Report(
      violations: Violation.allCases.filter(violations.contains), synchronizingProgram: program)
  }

  /// Checks the store, and refuses one that cannot hold a container.
  ///
  /// - Throws: `unsound` with the promises that the store broke; the error of a call.
  public func check() async throws(ObjectStoreError) {
    let report = try await run()
    if !report.isSound {
      throw ObjectStoreError(.unsound, .probe, in: store.place, reason: report.reasons)
    }
  }

  /// Lets all writers make one object at once.
  private func race(
    for key: ObjectKey, _ violations: inout Set<Violation>
  ) async throws(ObjectStoreError) {
    let outcomes = await withTaskGroup(of: (Int, Result<Bool, ObjectStoreError>).self) { group in
      for writer in 0..<writers {
        group.addTask { [store] in
          do throws(ObjectStoreError) {
            return (writer, .success(try await store.put(Self.bytes(writer), at: key, ifAbsent: true)))
          } catch {
            return (writer, .failure(error))
          }
        }
      }
      var outcomes: [(Int, Result<Bool, ObjectStoreError>)] = []
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
    var (winners, unknown): ([Int], ObjectStoreError?) = ([], nil)
    for (writer, outcome) in outcomes {
      switch outcome {
      case .success(true): winners.append(writer)
      case .success(false): break
      // A lost race may come as a failure of the server, and then tells nothing.
      case .failure(let error): if !error.isTransient { throw error } else { unknown = error }
      }
    }
    if winners.isEmpty, let unknown { throw unknown }
    if winners.count != 1 { violations.insert(.severalWinners) }
    let bytes = try await store.get(key)
    if bytes == nil {
      violations.insert(.staleRead)
    } else if let winner = winners.first, winners.count == 1, bytes != Self.bytes(winner) {
      violations.insert(.otherBytes)
    }
  }

  private func look(
    at key: ObjectKey, among keys: [ObjectKey], _ base: String, _ violations: inout Set<Violation>
  ) async throws(ObjectStoreError) {
    let whole = try await store.get(key)
    let part = try await store.get(key, limit: 5)
    if let whole, part != whole.prefix(5) { violations.insert(.wrongRange) }
    if let whole, try await store.head(key)?.size != whole.count { violations.insert(.staleRead) }
    let all = try await store.list(base + "-", after: nil, limit: 100).objects.map(\.key)
    if !all.contains(key) { violations.insert(.lateListing) }
    if all != all.sorted() || all.contains(where: { !$0.string.hasPrefix(base) }) {
      violations.insert(.wrongOrder)
    }
    guard let first = keys.first, keys.count > 1 else { return }
    let rest = try await store.list(base + "-", after: first, limit: 1).objects.map(\.key)
    if rest != [keys[1]] { violations.insert(.wrongOrder) }
  }

  private static func bytes(_ writer: Int) -> Data { Data("writer \(writer)".utf8) }
}

extension StoreProbe.Report: CustomStringConvertible {
  /// One line for a user.
  public var description: String {
    isSound
      ? "The store keeps its promises."
      : "The store cannot hold a container: \(reasons). Use another one."
  }

  /// The broken promises, in words.
  fileprivate var reasons: String {
    violations.map { violation in
      guard violation == .copied, let synchronizingProgram else { return violation.words }
      return "\(violation.words) (\(synchronizingProgram))"
    }.joined(separator: "; ")
  }
}

extension StoreProbe.Violation {
  fileprivate var words: String {
    switch self {
    case .severalWinners: "it lets several writers make the same object"
    case .otherBytes: "an object has other bytes than its writer stored"
    case .staleRead: "a read does not see the last write"
    case .lateListing: "a listing does not have the last write"
    case .wrongOrder: "a listing is not in order"
    case .wrongRange: "a part of an object is not the part that was asked for"
    case .notRemoved: "a removed object is still there"
    case .copied: "a program copies its folder between machines, so that each of them has a store of its own"
    }
  }
}
