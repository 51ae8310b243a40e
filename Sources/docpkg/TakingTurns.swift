import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials

/// A command that reads or writes one document, in turn with the programs that have it open.
protocol TurnTakingCommand: AsyncParsableCommand, Sendable {
  /// The document's path.
  var document: String { get }
  /// Whether it is written: programs that have it open save before, and are told afterwards.
  var writes: Bool { get }
}

extension TurnTakingCommand {
  var writes: Bool { false }

  /// Runs the command in its turn. Programs that have the document open save it first. Where one does not answer, the
  /// command says so and goes on, since the document has locks of its own.
  func runInTurn() async throws {
    let (coordinator, url, deadline) = (FileCoordinator(), url(document), Duration.seconds(5))
    var hasBegun = false
    do {
      if writes {
        try await coordinator.coordinate(writingItemAt: url, options: .forMerging, deadline: deadline) { _ in
          hasBegun = true
          try await start()
        }
      } else {
        try await coordinator.coordinate(readingItemAt: url, deadline: deadline) { _ in
          hasBegun = true
          try await start()
        }
      }
    } catch let error as FileCoordinationError where !hasBegun {
      StandardError.write("docpkg: \(error) This goes on with what is on disk.\n")
      try await start()
    }
  }
}

extension TurnTakingCommand {
  private func start() async throws {
    var command = self
    try await command.run()
  }
}

extension Show { var document: String { path } }
extension Cat { var document: String { path } }
extension Tree { var document: String { path } }
extension Info { var document: String { path } }
extension Copy { var document: String { source } }
extension Export { var document: String { path } }
extension Diff { var document: String { path } }
extension VersionsList { var document: String { path } }

extension Edit {
  var document: String { path }
  var writes: Bool { !writing.dryRun }
}

extension Undo {
  var document: String { path }
  var writes: Bool { !writing.dryRun }
}

extension Redo {
  var document: String { path }
  var writes: Bool { !writing.dryRun }
}

extension Restore {
  var document: String { path }
  var writes: Bool { !writing.dryRun }
}

extension Conflicts { var document: String { path } }

extension Resolve {
  var document: String { path }
  var writes: Bool { !writing.dryRun }
}

extension VersionsStart {
  var document: String { path }
  var writes: Bool { !writing.dryRun }
}
