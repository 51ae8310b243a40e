import ArgumentParser
import Dispatch
import Documents
import FilePackages
import FoundationEssentials
import Glibc
import PackageArchive

@main
struct Main {
  /// Not asynchronous itself: Dispatch opens descriptors before an asynchronous one begins.
  static func main() {
    StandardDescriptors.fill()
    Task { await run() }
    dispatchMain()
  }

  private static func run() async {
    let arguments = givenArguments
    do {
      if let error = CommandNames.problem(in: arguments) { throw error }
      let command = try Docpkg.parseAsRoot(arguments)
      let type = type(of: command)
      do {
        if let command = command as? any TurnTakingCommand {
          try await command.runInTurn()
        } else if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          var command = command
          try command.run()
        }
      } catch let error as ValidationError {
        end(error, of: type)
      }
    } catch {
      end(error, arguments)
    }
    exit(0)
  }

  /// What went wrong in a command's own work, in a sentence, and what to do where an archive is in the way.
  static func message(
    of error: any Error, _ wording: FilePackageError.Wording = .command
  ) -> String {
    switch error {
    case let error as FilePackageError: error.text(wording) + error.archiveHint
    case let error as DocumentError: error.text(wording)
    case let error as ArchiveError: error.text(path: wording.path)
    case let error as CocoaError:
      (error.userInfo["NSUnderlyingError"] as? FilePackageError)?.text(wording) ?? sentence(of: error)
    default: sentence(of: error)
    }
  }

  /// Says what is wrong with a command's arguments that only the command itself can see, as the parser says the rest.
  private static func end(_ error: ValidationError, of command: any ParsableCommand.Type) -> Never {
    let usage = Docpkg.usageString(for: command)
    let name = usage.prefix { !"[<".contains($0) }.dropLast()
    StandardError.write(
      "Error: \(error.message)\nUsage: \(usage)\n  See '\(name) --help' for more information.\n")
    exit(ExitStatus.usage)
  }

  /// Says what is to be said of an error, and ends with its exit status.
  private static func end(_ error: any Error, _ arguments: [String]) -> Never {
    if let status = error as? ExitCode { exit(status.rawValue) }
    switch Docpkg.exitCode(for: error) {
    case .success:
      // Help, and whatever else was asked for instead of a command.
      var output = StandardOutput()
      output.line(Docpkg.fullMessage(for: error))
      output.flush()
      exit(0)
    case .validationFailure:
      let hint = CommandNames.hint(for: arguments).map { "  \($0)\n" } ?? ""
      StandardError.write("\(Docpkg.fullMessage(for: error))\n\(hint)")
      exit(ExitStatus.usage)
    default:
      StandardError.write("docpkg: \(message(of: error))\n")
      exit(ExitStatus.failed)
    }
  }
}
