package import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials

/// A command that coordinates its work on one document with the programs that have it open.
package protocol CoordinatedCommand: AsyncParsableCommand, Sendable {
  /// The document's path.
  var path: String { get }
  /// Whether the command writes the document. Programs that have it open save it first, and learn of the write
  /// afterwards.
  var writes: Bool { get }
}

/// A coordinated command that writes the document, except with `--dry-run`.
package protocol WritingCommand: CoordinatedCommand {
  var writing: WritingOptions { get }
}

extension WritingCommand {
  package var writes: Bool { !writing.dryRun }
}

extension CoordinatedCommand {
  package var writes: Bool { false }

  /// Runs the command in coordination.
  package func runCoordinated() async throws {
    try await coordinated(path, writes: writes) {
      var command = self
      try await command.run()
    }
  }
}

/// Runs `body` in coordination. Programs that have the document open save it first.
///
/// If a program does not answer, this function says so and runs `body` all the same, because the document has locks
/// of its own.
package func coordinated(
  _ path: String, writes: Bool = false, _ body: @Sendable () async throws -> Void
) async throws {
  let (coordinator, url, deadline) = (FileCoordinator(), url(path), Duration.seconds(5))
  var hasBegun = false
  do {
    if writes {
      try await coordinator.coordinate(writingItemAt: url, options: .forMerging, deadline: deadline) { _ in
        hasBegun = true
        try await body()
      }
    } else {
      try await coordinator.coordinate(readingItemAt: url, deadline: deadline) { _ in
        hasBegun = true
        try await body()
      }
    }
  } catch let error as FileCoordinationError where !hasBegun {
    StandardError.write("docpkg: \(error) The command continues with the state on disk.\n")
    try await body()
  }
}
