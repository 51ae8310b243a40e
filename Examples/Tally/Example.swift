import Combine
import SwiftUI

/// Counts, undoes, saves and reopens a tally that a board observes.
@main
struct Example {
  @MainActor
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Tally-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("Birds.json")

    let file = try await ReferenceDocument<Tally>.create(Tally(), at: url)
    let board = Board(file.document)
    for name in ["wren", "robin", "wren"] {
      file.document.count(name, undoManager: file.undoManager)
      file.undoManager.endEventGrouping()
    }
    file.undoManager.undo()
    try await file.save()
    try await file.close()

    let again = try await ReferenceDocument<Tally>.open(at: url)
    let sums = board.rows.joined(separator: ", ")
    print("Tally: \(again.document.sum) birds, after \(sums), which add up to \(try board.total())")
    guard again.document.counts == ["wren": 1, "robin": 1], sums == "0, 1, 2, 3, 2" else {
      print("Tally: the numbers are wrong")
      exit(1)
    }

    let name = Notification.Name("org.example.tally")
    var subscription: AnyCancellable?
    await withCheckedContinuation { continuation in
      subscription = NotificationCenter.default.publisher(for: name)
        .debounce(for: .milliseconds(1), scheduler: DispatchQueue.main)
        .receive(on: DispatchQueue.main)
        .first()
        .sink { notification in
          print("Tally: received \(notification.name.rawValue)")
          continuation.resume()
        }
      NotificationCenter.default.post(name: name, object: nil)
    }
    subscription?.cancel()
    try await again.close()
  }
}
