import DurableIO

/// A state in which a power cut may leave a `CrashDisk`.
package struct CrashState: Sendable, CustomStringConvertible {
  let volume: Volume
  let kept: [Bool]
  let outcome: Volume.Outcome
  let remains: [Node.Number: Node.Remains]
  let options: CrashDisk.Options

  /// Returns a disk in this state, all of it durable, with no open file and with a clock that goes on.
  package func mount() -> CrashDisk {
    CrashDisk(volume.mounted(outcome, remains: remains), options: options)
  }

  /// The tree on the disk.
  package var tree: TestTree {
    volume.mounted(outcome, remains: remains).tree
  }

  /// A list of the durable changes and of the lost ones.
  package var description: String {
    let names = volume.pending.indices.map {
      (kept[$0] ? "kept: " : "lost: ") + volume.description(of: volume.pending[$0])
    }
    let contents = outcome.open.map { open in
      "\(volume.path(of: open.number)): \((remains[open.number] ?? .everything).rawValue)"
    }
    let lines = names + contents
    return lines.isEmpty ? "everything is on the medium" : lines.joined(separator: "\n")
  }
}

extension Volume {
  func description(of change: NameChange) -> String {
    func path(_ slot: Slot) -> String {
      slot.directory == Self.root
        ? "/" + slot.name.display : self.path(of: slot.directory) + "/" + slot.name.display
    }
    return switch change {
    case .put(let slot, let node): "\(path(slot)) = #\(node)"
    case .remove(let slot): "remove \(path(slot))"
    case .forget(let slot, let node): "remove \(path(slot)) = #\(node), which has moved"
    case .move(let from, let to, _, _): "rename \(path(from)) to \(path(to))"
    case .swap(let first, let second, _, _): "exchange \(path(first)) and \(path(second))"
    }
  }
}

// MARK: - Enumeration

extension Volume {
  /// The greatest number of pending changes whose subsets are all tried.
  private static let exhaustiveChanges = 10

  /// Returns the states that a power cut may leave, each once.
  ///
  /// Returns all of them if they are at most `limit`; otherwise the important ones first and then random ones.
  func crashStates(limit: Int, seed: UInt64, options: CrashDisk.Options) -> [CrashState] {
    var generator = SeededGenerator(seed: seed)
    let open = openNodes
    var seen: Set<[Slot: Node.Number?]> = []
    var outcomes: [(kept: [Bool], outcome: Outcome)] = []
    for kept in subsets(limit: limit, &generator) {
      let outcome = outcome(keeping: { kept[$0] }, open: open)
      if seen.insert(outcome.names).inserted { outcomes.append((kept, outcome)) }
    }

    // For each outcome of the names, the state with all contents comes first; the other states follow in rounds. So a
    // limit that is too small still covers every outcome.
    var states: [CrashState] = []
    let total = outcomes.reduce(0) { min($0 + RemainsChoices.count($1.outcome, limit: limit), limit + 1) }
    let share = total <= limit ? limit : limit / outcomes.count
    var choices = outcomes.map { RemainsChoices($0.outcome, limit: share) }
    var round = 0
    while states.count < limit {
      var found = false
      for position in outcomes.indices where states.count < limit {
        guard let remains = choices[position].choice(round, &generator) else { continue }
        found = true
        let (kept, outcome) = outcomes[position]
        states.append(
          CrashState(volume: self, kept: kept, outcome: outcome, remains: remains, options: options))
      }
      if !found { break }
      round += 1
    }
    return states
  }

  /// Returns the subsets of the pending changes to try: all changes and no changes first.
  private func subsets(limit: Int, _ generator: inout SeededGenerator) -> [[Bool]] {
    let count = pending.count
    let everything = [Bool](repeating: true, count: count)
    let nothing = [Bool](repeating: false, count: count)
    guard count > Self.exhaustiveChanges || limit < 1 << count else {
      return (0..<(1 << count)).reversed().map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
    }
    var subsets = [everything, nothing]
    for position in 0..<count {
      subsets.append((0..<count).map { $0 < position })
      subsets.append((0..<count).map { $0 != position })
      subsets.append((0..<count).map { $0 == position })
    }
    for first in 0..<count {
      for second in (first + 1)..<max(count, first + 1) where subsets.count < limit {
        subsets.append((0..<count).map { $0 != first && $0 != second })
      }
    }
    for _ in 0..<(limit / 4) {
      subsets.append((0..<count).map { _ in Bool.random(using: &generator) })
    }
    return subsets
  }
}

/// The possible contents of one outcome, one after the other and none twice.
private struct RemainsChoices {
  private let open: [(number: Node.Number, remains: [Node.Remains])]
  /// The number of combinations, or nil if there are too many.
  private let combinations: Int?
  private var telling: [[Node.Number: Node.Remains]] = []
  private var seen: Set<[Node.Number: Node.Remains]> = []

  init(_ outcome: Volume.Outcome, limit: Int) {
    open = outcome.open
    let count = Self.count(outcome, limit: limit)
    combinations = count <= limit ? count : nil
    guard combinations == nil else { return }
    telling = [[:]]
    for remains in [Node.Remains.kept, .zeros, .firstHalf] {
      telling.append(
        Dictionary(uniqueKeysWithValues: open.map { ($0, $1.contains(remains) ? remains : .kept) }))
    }
    for node in open { for remains in node.remains { telling.append([node.number: remains]) } }
  }

  /// Returns the number of combinations; beyond `limit`, any greater number.
  static func count(_ outcome: Volume.Outcome, limit: Int) -> Int {
    var product = 1
    for node in outcome.open where product <= limit { product *= node.remains.count }
    return product
  }

  mutating func choice(_ round: Int, _ generator: inout SeededGenerator) -> [Node.Number: Node.Remains]? {
    if let combinations {
      return round < combinations ? combination(round) : nil
    }
    // Random choices repeat; a few attempts are enough if there are more combinations than the limit.
    for attempt in 0..<8 {
      let choice: [Node.Number: Node.Remains]
      if attempt == 0, round < telling.count {
        choice = telling[round]
      } else {
        choice = Dictionary(
          uniqueKeysWithValues: open.map {
            ($0.number, $0.remains[Int.random(in: $0.remains.indices, using: &generator)])
          })
      }
      let key = choice.filter { $0.value != .everything }
      if seen.insert(key).inserted { return key }
    }
    return nil
  }

  private func combination(_ number: Int) -> [Node.Number: Node.Remains] {
    var rest = number
    var choice: [Node.Number: Node.Remains] = [:]
    for node in open {
      let position: Int
      (rest, position) = rest.quotientAndRemainder(dividingBy: node.remains.count)
      choice[node.number] = node.remains[position]
    }
    return choice
  }
}
