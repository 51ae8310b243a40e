import Documents
import FoundationEssentials
import Synchronization

/// A presenter that reports every request and message.
final class Presenter: FilePresenter {
  let id: String
  let command: Command
  let unsaved = Mutex(0)
  private let url: Mutex<URL>

  init(_ command: Command) {
    (id, self.command) = (command.id, command)
    url = Mutex(command.url)
  }

  var presentedItemURL: URL? { url.withLock { $0 } }

  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await relinquish("reader")
  }

  func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    await relinquish("writer")
  }

  private func relinquish(_ kind: String) async -> Reacquirer? {
    say(id, "relinquishes-to-\(kind)")
    if command.values["hang"] != nil {
      // No test takes that long.
      try? await Task.sleep(for: .seconds(3600))
    }
    return { [id] in say(id, "reacquires") }
  }

  struct Refusal: Error {}

  func savePresentedItemChanges() async throws {
    say(id, "is-to-save")
    do {
      try await save()
    } catch {
      say(id, "has-not-saved \(error)")
      throw error
    }
  }

  private func save() async throws {
    if command.values["refuse"] != nil { throw Refusal() }
    let coordinator = FileCoordinator(filePresenter: self)
    guard let item = presentedItemURL else { return }
    if let text = command.values["text"] {
      try await coordinator.coordinate(writingItemAt: item, deadline: command.deadline) { url in
        try Data(text.utf8).write(to: url.appending(path: "text"))
      }
    }
    if unsaved.withLock({ $0 }) > 0 {
      try await coordinator.coordinate(writingItemAt: item, deadline: command.deadline) { url in
        let count = unsaved.withLock { $0 }
        let result = await Counter(at: url).bump(by: count)
        if !result.hasPrefix("missing") { unsaved.withLock { $0 -= count } }
        say(id, "saved \(count) \(result)")
      }
    }
    say(id, "has-saved")
  }

  func accommodatePresentedItemDeletion() async throws {
    say(id, "is-to-be-deleted")
    if command.values["refuse"] != nil { throw Refusal() }
  }

  func accommodatePresentedSubitemDeletion(at url: URL) async throws {
    say(id, "subitem-is-to-be-deleted \(url.path)")
  }

  func presentedItemDidMove(to newURL: URL) async {
    url.withLock { $0 = newURL }
    say(id, "is-moved \(newURL.path)")
  }

  func presentedItemDidChange() async { say(id, "is-changed") }

  // A presenter without `subitems` does what the methods do by default.

  func presentedSubitemDidChange(at url: URL) async { await tell("subitem-is-changed \(url.path)") }
  func presentedSubitemDidAppear(at url: URL) async { await tell("subitem-appears \(url.path)") }

  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {
    await tell("subitem-is-moved \(oldURL.path) \(newURL.path)")
  }

  private func tell(_ news: String) async {
    if command.values["subitems"] == nil { await presentedItemDidChange() } else { say(id, news) }
  }
}
