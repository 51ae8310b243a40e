import Combine
import OSLog
import SwiftUI
import UniformTypeIdentifiers

/// A `ReferenceFileDocument` that counts, and observes itself with Combine's operators.
// `@unchecked`: only the main actor changes it, and `snapshot(contentType:)` copies it.
final class Tally: ReferenceFileDocument, @unchecked Sendable {
  static var readableContentTypes: [UTType] { [.json] }
  private static let logger = Logger(subsystem: "org.example.tally", category: "model")

  @Published var counts: [String: Int] = [:]
  @Published private(set) var sum = 0
  private var subscriptions: Set<AnyCancellable> = []

  init() { observe() }

  required init(configuration: ReadConfiguration) throws {
    guard let data = configuration.file.regularFileContents else { throw CocoaError(.fileReadCorruptFile) }
    Just(data)
      .decode(type: [String: Int].self, decoder: JSONDecoder())
      .sink(
        receiveCompletion: { completion in
          if case .failure(let error) = completion { Self.logger.error("not a tally: \(error)") }
        },
        receiveValue: { [self] in counts = $0 }
      )
      .store(in: &subscriptions)
    observe()
  }

  private func observe() {
    $counts.map { $0.values.reduce(0, +) }.removeDuplicates().assign(to: &$sum)
  }

  func snapshot(contentType: UTType) throws -> [String: Int] { counts }

  func fileWrapper(snapshot: [String: Int], configuration: WriteConfiguration) throws -> FileWrapper {
    let encoder = JSONEncoder()
    // Without it, Foundation on Linux changes the order of the keys from save to save.
    encoder.outputFormatting = .sortedKeys
    return FileWrapper(regularFileWithContents: try encoder.encode(snapshot))
  }

  func count(_ name: String, undoManager: UndoManager?) {
    let old = counts
    undoManager?.registerUndo(withTarget: self) { $0.counts = old }
    counts[name, default: 0] += 1
  }
}
