import ArgumentParser
import FilePackages
import Glibc

struct Cat: TurnTakingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Write a child's bytes to standard output.",
    discussion: """
      Example:
        docpkg cat Trip.imageNotes Images/Dawn.png > Dawn.png

      \(ExitStatus.help)
      """)

  @Argument(help: "The package.")
  var path: String

  @Argument(help: "The child, a path within the package.")
  var child: String

  func run() async throws {
    let store = try await PackageStore.open(at: url(path))
    let file = try await store.tree.regularFile(at: child)
    try file.forEachChunk { writeAll($0, to: STDOUT_FILENO) }
  }
}
