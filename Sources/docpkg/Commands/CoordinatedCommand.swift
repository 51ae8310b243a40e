import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials

/// A command that coordinates its work on one document with the programs that have it open.
protocol CoordinatedCommand: AsyncParsableCommand, Sendable {
  /// The document's path.
  var document: String { get }
  /// Whether the command writes the document. Programs that have it open save it first, and learn of the write
  /// afterwards.
  var writes: Bool { get }
}

extension CoordinatedCommand {
  var writes: Bool { false }

  /// Runs the command in coordination.
  func runCoordinated() async throws {
    try await coordinated(document, writes: writes) {
      var command = self
      try await command.run()
    }
  }
}

/// Runs `body` in coordination. Programs that have the document open save it first.
///
/// If a program does not answer, this function says so and runs `body` all the same, because the document has locks
/// of its own.
func coordinated(
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
    StandardError.write("docpkg: \(error) This goes on with what is on disk.\n")
    try await body()
  }
}

extension Show { var document: String { path } }
extension Cat { var document: String { path } }
extension Tree { var document: String { path } }
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
