import Documents
import Synchronization
import TestSupport
import Testing

@Suite("Undo steps")
struct UndoStepsTests {
  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  /// A step that counts how often its cost is asked for.
  private struct Step: UndoCost {
    var number: Int
    var looks = Counter()

    var cost: Int {
      looks.count.add(1, ordering: .relaxed)
      return number
    }
  }

  @Test func `are each looked at twice, however many there are`() {
    let looks = Counter()
    var steps = UndoSteps<Step>()
    for number in 0..<20_000 {
      steps.append(Step(number: number, looks: looks))
      // As with a budget for 10,000 steps.
      if number >= 10_000 { steps.removeFirst() }
      _ = steps.cost
    }
    #expect(looks.count.load(ordering: .relaxed) == 30_000)
    #expect(steps.count == 10_000 && steps.last?.number == 19_999)
    #expect(steps.cost == (10_000..<20_000).reduce(0, +))
  }

  @Test func `are those of an array, and cost what these cost together`() {
    var generator = SeededGenerator(seed: 35)
    var (steps, model) = (UndoSteps<Step>(), [Int]())
    for number in 0..<3000 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0...2:
        steps.append(Step(number: number))
        model.append(number)
      case 3: #expect(steps.popLast()?.number == model.popLast())
      case 4:
        steps.removeFirst()
        model = Array(model.dropFirst())
      default: steps.changeLast { step in #expect(step.number == model.last) }
      }
      #expect(steps.count == model.count && steps.isEmpty == model.isEmpty)
      #expect(steps.last?.number == model.last && steps.cost == model.reduce(0, +))
    }
  }
}
