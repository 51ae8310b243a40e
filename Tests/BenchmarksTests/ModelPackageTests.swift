import Benchmarks
import Testing

@Suite("The package that benchmarks save")
struct ModelPackageTests {
  @Test(arguments: [0, 1, 7, 8, 4096])
  func `has children of the size that was asked for`(size: Int) {
    let model = ModelPackage(childCount: 3, changedCount: 1, size: size)
    #expect((0..<3).allSatisfy { model.contents(of: $0).count == size })
    #expect(Set((0..<3).map(model.name(of:))).count == 3)
  }

  @Test func `changes as many different children as it says, and no others`() {
    var model = ModelPackage(childCount: 10, changedCount: 4, size: 64)
    for _ in 0..<50 {
      let before = model
      let change = model.change()
      let changed = Set(change.children.map(\.number))
      #expect(changed.count == 4)
      for child in 0..<10 {
        #expect((before.contents(of: child) != model.contents(of: child)) == changed.contains(child))
      }
      #expect(change.children.allSatisfy { $0.contents == model.contents(of: $0.number) })
      #expect(change.metadata == model.metadata && change.metadata != before.metadata)
    }
  }

  @Test func `is the same in every run`() {
    var (one, other) = (model, model)
    for _ in 0..<5 {
      #expect(one.change().children.map(\.contents) == other.change().children.map(\.contents))
    }
  }

  private var model: ModelPackage { ModelPackage(childCount: 100, changedCount: 10, size: 10) }
}
