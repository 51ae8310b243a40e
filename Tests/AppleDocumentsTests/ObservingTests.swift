import AppleDocuments
import Testing

private final class Model: ObservableObject {
  @Published var name = "one"
  @Published private(set) var count = 0

  func increment() { count += 1 }
}

@Suite("Observing an object")
struct ObservingTests {
  @Test func `tells before each change of a published property`() {
    let model = Model()
    var log: [String] = []
    var all: Set<AnyCancellable> = []
    model.objectWillChange.sink { log.append("will change from \(model.name)") }.store(in: &all)
    model.$name.sink { log.append("name \($0)") }.store(in: &all)
    model.$count.map { $0 * 10 }.dropFirst().sink { log.append("count \($0)") }.store(in: &all)
    model.name = "two"
    model.increment()
    model.objectWillChange.send()
    #expect(
      log == [
        "name one", "will change from one", "name two", "will change from two", "count 10",
        "will change from two",
      ])
    log = []
    all = []
    model.name = "three"
    #expect(log.isEmpty && model.name == "three")
  }

  @Test func `has one publisher for each object, as long as it lives`() {
    let model = Model()
    #expect(model.objectWillChange === model.objectWillChange)
    var count = 0
    let subscription = model.objectWillChange.sink { count += 1 }
    for _ in 0..<1000 { _ = Model().objectWillChange }
    model.name = "two"
    #expect(count == 1)
    subscription.cancel()
    subscription.cancel()
    model.name = "three"
    #expect(count == 1)
  }

  @Test func `passes the values of subjects on`() {
    var log: [String] = []
    let subject = PassthroughSubject<Int, Never>()
    let even = subject.filter { $0.isMultiple(of: 2) }.removeDuplicates().eraseToAnyPublisher()
    let first = even.sink { log.append("even \($0)") }
    for value in [1, 2, 2, 3, 4] { subject.send(value) }
    let present = CurrentValueSubject<String, Never>("now")
    let second = present.compactMap { Int($0) }.sink { log.append("number \($0)") }
    (present.value, present.value) = ("5", "later")
    present.send("6")
    #expect(log == ["even 2", "even 4", "number 5", "number 6"] && present.value == "6")
    withExtendedLifetime((first, second)) {}
  }
}
