/// A value with a cost in bytes.
package protocol UndoCost: Sendable {
  /// The bytes that the value takes.
  var cost: Int { get }
}

/// Undo steps in the order in which they were made, and the sum of their costs.
///
/// Cost: a change at either end looks at one step, however many there are.
package struct UndoSteps<Step: UndoCost>: Sendable {
  /// The steps from `start` on; those before it are removed, and nil.
  private var slots: [Step?] = []
  private var start = 0
  /// The sum of the costs of all steps.
  package private(set) var cost = 0

  package init() {}

  package var count: Int { slots.count - start }

  package var isEmpty: Bool { count == 0 }

  /// The newest step.
  package var last: Step? { slots.last ?? nil }

  /// Adds the newest step.
  package mutating func append(_ step: Step) {
    slots.append(step)
    cost += step.cost
  }

  /// Removes the newest step, and returns it; nil if there is none.
  package mutating func popLast() -> Step? {
    guard !isEmpty, let step = slots.removeLast() else { return nil }
    cost -= step.cost
    return step
  }

  /// Removes the oldest step; does nothing if there is none.
  package mutating func removeFirst() {
    guard !isEmpty, let step = slots[start] else { return }
    cost -= step.cost
    slots[start] = nil
    start += 1
    // Each step moves once at most for each one that is removed.
    guard start > count else { return }
    slots.removeFirst(start)
    start = 0
  }

  /// Changes the newest step, not its cost.
  package mutating func changeLast(_ body: (inout Step) -> Void) {
    guard !isEmpty, var step = slots.removeLast() else { return }
    body(&step)
    slots.append(step)
  }
}
