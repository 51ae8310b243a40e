import ArgumentParser
import Benchmarks
import Documents
import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes
import PackageArchive

/// The command line: each command parses its arguments, makes one call of the library, and prints.
struct Docpkg: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docpkg",
    abstract: "Documents made of parts: plain directories, saved safely and only where they changed.",
    discussion: """
      A package is a directory that is one document. Every command takes the path of one. Commands that write \
      say in one line what they wrote and what they reused; with --dry-run they say what they would do.

      Example:
        docpkg new Trip.imageNotes --text "Three valleys" --image Dawn.png
        docpkg edit Trip.imageNotes --append "The hut at last."

      \(ExitStatus.help)
      """,
    version: FilePackagesVersion.current,
    subcommands: [
      New.self, Show.self, Edit.self, Open.self, Undo.self, Redo.self, ListDocuments.self, Tree.self,
      Cat.self, Info.self, Copy.self, Versions.self, Diff.self, Restore.self, Conflicts.self, Resolve.self,
      Export.self, Import.self, Archive.self, Verify.self, Recover.self, Repair.self, Watch.self, Bench.self,
    ])
}

/// What the program's exit status says, the same for every command.
enum ExitStatus {
  static let different: Int32 = 1
  static let failed: Int32 = 2

  static let help = """
    Exit status: 0 done; 1 differences, damage or conflict found; 2 failed, nothing lost; 64 usage.
    """
}

@main
struct Main {
  static func main() async {
    do {
      let command = try Docpkg.parseAsRoot(givenArguments)
      if let command = command as? any TurnTakingCommand {
        try await command.runInTurn()
      } else if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        var command = command
        try command.run()
      }
    } catch {
      if let message = message(of: error) {
        StandardError.write("docpkg: \(message)\n")
        exit(ExitStatus.failed)
      }
      Docpkg.exit(withError: error)
    }
  }

  /// What went wrong in the command's own work; nil for what the argument parser reports.
  static func message(
    of error: any Error, _ wording: FilePackageError.Wording = .command
  ) -> String? {
    switch error {
    case let error as FilePackageError: error.text(wording) + error.archiveHint
    case let error as DocumentError: error.text(wording)
    case let error as FileCoordinationError: error.description
    case let error as CocoaError:
      (error.userInfo["NSUnderlyingError"] as? FilePackageError)?.text(wording) ?? "\(error)"
    case let error as ImageNotesError: error.description
    case let error as InputError: error.description
    case let error as ArchiveError: error.text(path: wording.path)
    case let error as BenchmarkError: error.description
    default: nil
    }
  }
}
