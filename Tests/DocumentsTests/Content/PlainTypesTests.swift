import Documents
import FilePackages
import FoundationEssentials
import Testing

@Suite("The types that hold no file wrapper")
struct PlainTypesTests {
  private struct Point { var x = 0.0, y: Double? }
  private struct Stroke {
    var name = ""
    var points: [Point] = []
    var tags: [String: Set<Int>] = [:]
    var url: URL?
    var picture = Data()
    var change: @Sendable () -> Void = {}
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

  /// Makes its mirror by itself, which leaves its property out.
  private struct Hidden: CustomReflectable {
    var folder: FileWrapper?
    var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
  }
  private struct Shape { var area: any Sendable = 1.0 }

  @Test func `are learned from one value of each`() {
    let plain: [Any] = [
      1, "text", Data(), URL(filePath: "/"), Date(), [Stroke()], ["a": Stroke()], Tree(children: [Tree()]),
      Owner(), Plain.number(1, 2), [Plain?.none], Box<Stroke>(value: ["a": [Stroke()]]), (1, Stroke()),
      { FileWrapper() }, UUID(), AttributedString("text"), 0.0..<1.0, [Matrix(values: .init(repeating: 0))],
      Int.self, "text".dropFirst(),
      // A collection without values is of types that are known without one.
      [String](), [Int: [Double?]](), Set<URL>(), Owner?.none as Any,
    ]
    let other: [Any] = [
      FileWrapper(), Kind(), FileWrapper?.none as Any, [String: Kind](), Box<FileWrapper>(), Looped(),
      Looped.Other(), [Looped.Other?](), (1, Kind()), [[FileWrapper?]](), Hidden(),
      // Only the values tell.
      [1 as any Sendable], [1 as Any], [[1, 2] as any Sequence<Int>], Box<any Error>(), Shape(),
      (() -> Void)?.none as Any,
      // Another value may have another case.
      Page<Stroke>.text("a"), [Page<String>?.some(.text("a"))], Page<Kind>.text("a"),
    ]
    var types = PlainTypes()
    // The answers are the same after those for other types.
    for _ in 0..<2 {
      for value in plain {
        let answer = types.contains(typeOf: value)
        #expect(answer, "\(type(of: value))")
      }
      for value in other {
        let answer = types.contains(typeOf: value)
        #expect(!answer, "\(type(of: value))")
      }
    }
  }

  @Test func `are known as soon as a value tells`() {
    var types = PlainTypes()
    let isKnown = types.contains(typeOf: [Stroke]())
    #expect(!isKnown)
    let isLearned = types.contains(typeOf: [Stroke()])
    #expect(isLearned)
    let isRemembered = types.contains(typeOf: [Stroke]())
    #expect(isRemembered)
  }
}
