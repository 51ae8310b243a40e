import ArgumentParser
import FilePackages
import FoundationEssentials
import Glibc

@main
struct Main {
  /// Starts the program. It is not asynchronous, because Dispatch opens descriptors before an asynchronous `main`
  /// begins.
  static func main() {
    // A companion sees the descriptors as they are.
    Companion.run(argumentBytes)
    StandardDescriptors.fill()
    Task { @CommandActor in await run() }
    // The work ends the program. This thread takes the signals: the threads of Dispatch block them, and so may the
    // program that started this one. `dispatchMain()` would start another thread for that, and end this one, for which
    // the system loads a library.
    var none = sigset_t()
    sigemptyset(&none)
    while true { sigsuspend(&none) }
  }

  /// The actor of the commands. It has a thread of its own, which a command may block.
  @globalActor private actor CommandActor {
    static let shared = CommandActor()
    private let executor = QueueExecutor(label: "com.filepackages.docpkg")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  }

  private static func run() async {
    let arguments = givenArguments
    do {
      if arguments == ["--version"] {
        printVersion()
      } else if arguments.count == 2, arguments[0] == "--generate-completion-script",
        let shell = CompletionShell(rawValue: arguments[1])
      {
        var output = StandardOutput()
        output.write(CompletionScript.script(for: shell))
      } else if let command = plainCommand(arguments) {
        do { try await command.runCoordinated() } catch let error as ValidationError {
          end(error, of: type(of: command))
        }
      } else {
        try await runParsed(arguments)
      }
    } catch {
      end(error, arguments, hint: await placeholderHint(of: error))
    }
    exit(0)
  }

  /// Prints the version as ArgumentParser does, which would first look through all commands for it.
  private static func printVersion() {
    var output = StandardOutput()
    output.line(FilePackagesVersion.current)
  }

  private static func runParsed(_ arguments: [String]) async throws {
    if let error = CommandNames.problem(in: arguments) { throw error }
    if let (error, command) = CommandNames.optionProblem(in: arguments) { end(error, of: command) }
    // Some completions await.
    let command = try await Docpkg.asyncParseAsRoot(arguments)
    let type = type(of: command)
    do {
      if let command = command as? any CoordinatedCommand {
        try await command.runCoordinated()
      } else if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        var command = command
        try command.run()
      }
    } catch let error as ValidationError {
      end(error, of: type)
    }
  }

  /// Reports a usage error that only the command itself can find, in the parser's form, and ends the program.
  private static func end(_ error: ValidationError, of command: any ParsableCommand.Type) -> Never {
    let usage = Docpkg.usageString(for: command)
    let name = usage.prefix { !"[<".contains($0) }.dropLast()
    StandardError.write(
      "Error: \(error.message)\nUsage: \(usage)\n  See '\(name) --help' for more information.\n")
    exit(ExitStatus.usage)
  }

  /// Reports an error and ends the program with its exit status.
  ///
  /// - Parameter advice: a sentence after the error's own.
  private static func end(_ error: any Error, _ arguments: [String], hint advice: String) -> Never {
    if let status = error as? ExitCode { exit(status.rawValue) }
    switch Docpkg.exitCode(for: error) {
    case .success where !CommandNames.asksForHelp(arguments):
      // A command without its subcommand does nothing, and a script must not believe that it did.
      StandardError.write("\(Docpkg.fullMessage(for: error))\n")
      exit(ExitStatus.usage)
    case .success:
      // This case is help or other output that the arguments ask for.
      var output = StandardOutput()
      output.line(
        Docpkg.fullMessage(for: error) + (CommandNames.asksForMainHelp(arguments) ? Companion.help : ""))
      output.flush()
      exit(0)
    case .validationFailure:
      let hint = CommandNames.hint(for: arguments).map { "  \($0)\n" } ?? ""
      StandardError.write("\(Docpkg.fullMessage(for: error))\n\(hint)")
      exit(ExitStatus.usage)
    default:
      StandardError.write("docpkg: \(errorMessage(of: error))\(advice)\n")
      exit(ExitStatus.failed)
    }
  }
}
