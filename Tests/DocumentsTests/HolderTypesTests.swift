import Documents
import FilePackages
import FoundationEssentials
import Testing

@Suite("The types that may hold a file wrapper")
struct HolderTypesTests {
  private struct Point { var x = 0.0, y: Double? }
  private struct Stroke {
    var name = ""
    var points: [Point] = []
    var tags: [String: Set<Int>] = [:]
    var url: URL?
    var picture = Data()
    var change: (@Sendable () -> Void)?
  }
  private struct Matrix { var values: InlineArray<16, Float> }
  private final class Owner { var folder = FileWrapper() }
  private struct Tree {
    var children: [Tree] = []
    var owner: Owner?
  }
  private enum Plain {
    case none
    case number(Int, Double)
  }
  // `@unchecked`: it has no properties of its own.
  private final class Kind: FileWrapper, @unchecked Sendable {}
  private struct Box<Value> { var value: [String: [Value?]] = [:] }
  private struct Looped {
    var other: [Other] = []
    struct Other {
      var looped: [Looped] = []
      var pair: (Int, kind: Kind?) = (0, nil)
    }
  }
  private indirect enum Page<Value> {
    case text(String)
    case pair(Page, [Value])
  }

  @Test func `are told apart without a value`() {
    var types = HolderTypes()
    let none: [Any.Type] = [
      Int.self, String.self, Data.self, URL.self, Date.self, [Stroke].self, [String: Stroke].self, Tree.self,
      Owner.self, Plain.self, [Plain?].self, Box<Stroke>.self, (Int, Stroke).self, (() -> FileWrapper).self,
      DateComponents.self, UUID.self, AttributedString.self, Range<Double>.self, Result<Int, Never>.self,
      Page<Stroke>.self, [Page<String>?].self,
      [Matrix].self,
    ]
    let some: [Any.Type] = [
      FileWrapper.self, Kind.self, FileWrapper?.self, [String: Kind].self, Box<FileWrapper>.self, Looped.self,
      Looped.Other.self, [Looped.Other?].self, (Int, Kind).self, [[FileWrapper?]].self,
      Page<Kind>.self, [Page<FileWrapper>].self,
      // Only the values tell.
      (any Sendable).self, [Any].self, (any Sequence<Int>).self, [any Sequence<Int>].self,
      Box<any Error>.self, Page<any Error>.self,
    ]
    // The answers are the same after those for other types.
    for _ in 0..<2 {
      for type in none {
        let answer = types.mayHold(type)
        #expect(!answer, "\(type)")
      }
      for type in some {
        let answer = types.mayHold(type)
        #expect(answer, "\(type)")
      }
    }
  }
}
