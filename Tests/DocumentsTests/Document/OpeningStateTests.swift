import Documents
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A document on its way to being open", .temporaryDirectory)
struct OpeningStateTests {
  /// Opens and saves elsewhere many times, and looks between any two steps.
  @Test func `is closed or open, and never both`() async throws {
    func place(_ number: Int) -> URL { url("\(number).pages") }
    try await Document.create(Pages(["a.txt": "one"]), at: place(0), options: .quiet(nil)).close()
    for round in 1...40 {
      let document = Document<Pages>(fileURL: place(0), options: .quiet(nil))
      let new = Document(fileURL: place(round), content: Pages([:]), options: .quiet(nil))
      let contradictions = try await withThrowingTaskGroup { group in
        for looked in [document, new] {
          group.addTask {
            var found: [String] = []
            while !Task.isCancelled {
              if let contradiction = await looked.contradiction() { found.append(contradiction) }
              await Task.yield()
            }
            return found
          }
        }
        try await document.open()
        try await new.save(to: place(round), for: .forCreating)
        try await document.revert(toContentsOf: place(round))
        group.cancelAll()
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(contradictions == [])
      try await document.close()
      try await new.close()
    }
  }
}

extension Document {
  /// Returns a contradiction between the document's facts about itself.
  fileprivate func contradiction() -> String? {
    documentState.contains(.closed) == isOpen ? "\(documentState), and isOpen is \(isOpen)" : nil
  }
}
