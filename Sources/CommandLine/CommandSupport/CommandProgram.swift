package import ArgumentParser
import FilePackages
import FoundationEssentials
import Glibc

/// A program of the command line: it reads its arguments, runs one command, and ends.
///
/// `docpkg` and its companions are such programs. The root command of each has the name `docpkg`, so that help and errors
/// name a command as the user typed it.
package struct CommandProgram: Sendable {
  let root: any AsyncParsableCommand.Type
  let plainCommands: [String: any PlainCommand.Type]
  let companion: String?
  let prepare: @Sendable (any ParsableCommand) throws -> Void

  /// Makes a program.
  ///
  /// - Parameters:
  ///   - root: the command that has all others as subcommands.
  ///   - plainCommands: the commands that read their plainest form, by name.
  ///   - companion: the name of the only command, for a companion of `docpkg`; nil for a program with several commands.
  ///   - prepare: runs before a command does anything.
  package init(
    _ root: any AsyncParsableCommand.Type, plainCommands: [String: any PlainCommand.Type] = [:],
    companion: String? = nil,
    prepare: @escaping @Sendable (any ParsableCommand) throws -> Void = { _ in }
  ) {
    (self.root, self.plainCommands, self.companion, self.prepare) = (root, plainCommands, companion, prepare)
  }

  /// Runs the program to its end.
  ///
  /// `main` is not asynchronous, because Dispatch opens descriptors before an asynchronous `main` begins.
  package func run() -> Never {
    Companion.checkVersion()
    // A companion sees the descriptors as they are.
    if companion == nil { Companion.run(argumentBytes, among: self) }
    StandardDescriptors.fill()
    Task { @CommandActor in await runCommand() }
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

  private func runCommand() async {
    let arguments =
      givenArguments == ["--version"] ? givenArguments : (companion.map { [$0] } ?? []) + givenArguments
    do {
      if arguments == ["--version"] {
        printVersion()
      } else if let command = plainCommand(arguments) {
        do {
          try prepare(command)
          try await command.runCoordinated()
        } catch let error as ValidationError {
          end(error, of: type(of: command))
        }
      } else {
        try await runParsed(arguments)
      }
    } catch {
      end(error, arguments, hint: placeholderHint(of: error))
    }
    exit(0)
  }

  /// Returns the command of arguments in their plainest form; nil if ArgumentParser has to read them.
  private func plainCommand(_ arguments: [String]) -> (any CoordinatedCommand)? {
    arguments.first.flatMap { plainCommands[$0] }?.read(arguments.dropFirst())
  }

  /// Prints the version as ArgumentParser does, which would first look through all commands for it.
  private func printVersion() {
    var output = StandardOutput()
    output.line(FilePackagesVersion.current)
  }

  private func runParsed(_ arguments: [String]) async throws {
    if let error = CommandNames(program: self).problem(in: arguments) { throw error }
    let command = try root.parseAsRoot(arguments)
    let type = type(of: command)
    try prepare(command)
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
  private func end(_ error: ValidationError, of command: any ParsableCommand.Type) -> Never {
    let usage = root.usageString(for: command)
    let name = usage.prefix { !"[<".contains($0) }.dropLast()
    StandardError.write(
      "Error: \(error.message)\nUsage: \(usage)\n  See '\(name) --help' for more information.\n")
    exit(ExitStatus.usage)
  }

  /// Reports an error and ends the program with its exit status.
  ///
  /// - Parameter advice: a sentence after the error's own.
  private func end(_ error: any Error, _ arguments: [String], hint advice: String) -> Never {
    if let status = error as? ExitCode { exit(status.rawValue) }
    switch root.exitCode(for: error) {
    case .success where !CommandNames.asksForHelp(arguments):
      // A command without its subcommand does nothing, and a script must not believe that it did.
      StandardError.write("\(root.fullMessage(for: error))\n")
      exit(ExitStatus.usage)
    case .success:
      // This case is help or other output that the arguments ask for.
      var output = StandardOutput()
      output.line(
        root.fullMessage(for: error)
          + (CommandNames.asksForMainHelp(arguments) ? Companion.help(besides: self) : ""))
      output.flush()
      exit(0)
    case .validationFailure:
      StandardError.write("\(root.fullMessage(for: error))\n")
      exit(ExitStatus.usage)
    default:
      StandardError.write("docpkg: \(errorMessage(of: error))\(advice)\n")
      exit(ExitStatus.failed)
    }
  }
}
