import Documents
import FoundationEssentials
import ImageNotes

/// Edits of an open document on one machine, until they are in the open document on another one.
final class CloudTravel: Workload {
  private let here: Document<ImageNotes>
  private let there: Document<ImageNotes>
  private let watchers: [RunningChild]
  private var round = 0

  /// No connection is that slow.
  private static let patience = Duration.seconds(120)

  /// - Parameters:
  ///   - here: a document in a container folder.
  ///   - there: the same one in another folder.
  ///   - watchers: keep both folders in sync while they run.
  init(_ here: Document<ImageNotes>, _ there: Document<ImageNotes>, _ watchers: [RunningChild]) {
    (self.here, self.there, self.watchers) = (here, there, watchers)
  }

  func run() async throws {
    round += 1
    let line = "Edit \(round).\n"
    try await here.edit { $0.text += line }
    try await here.save()
    let end = ContinuousClock.now + Self.patience
    while try await !there.content.text.hasSuffix(line) {
      guard ContinuousClock.now < end else {
        throw WrongContents(description: "an edit did not travel in \(Self.patience)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func verify() async throws {
    let (own, other) = (try await here.content.text, try await there.content.text)
    for watcher in watchers { watcher.end() }
    try await here.close()
    try await there.close()
    if own != other { throw WrongContents(description: "the documents differ") }
  }
}
