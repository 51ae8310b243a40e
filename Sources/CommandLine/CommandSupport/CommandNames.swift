import ArgumentParser
import Glibc

/// The names of the commands, as the user typed them.
struct CommandNames {
  let program: CommandProgram

  /// The commands of the program itself.
  var all: [String] { program.root.configuration.subcommands.map { $0.name } }

  /// Returns the usage error if the first arguments, or those after `help`, should name a command and do not.
  func problem(in arguments: [String]) -> ValidationError? {
    let isHelp = arguments.first == "help"
    let (command, names, rest) = command(in: isHelp ? arguments.dropFirst() : arguments[...])
    guard let name = rest.first, !name.hasPrefix("-"), name != "help" || !names.isEmpty else { return nil }
    let configuration = command.configuration
    // Arguments after a command without subcommands, or with a default one, belong to that command.
    if !isHelp && (configuration.subcommands.isEmpty || configuration.defaultSubcommand != nil) { return nil }
    let path = (names + [display(name)]).joined(separator: " ")
    return ValidationError("There is no command '\(path)'.")
  }

  /// Whether arguments ask for help or for another output of the parser, and not for the work of a command.
  ///
  /// The parser also takes a path such as `-photos` for a group of short options with `-h` among them.
  static func asksForHelp(_ arguments: [String]) -> Bool {
    arguments.first == "help" || arguments.contains { outputs.contains($0) }
  }

  private static let outputs: Set = [
    "-h", "--help", "--help-hidden", "--version", "--generate-completion-script", "--experimental-dump-help",
  ]

  /// Whether arguments ask for the help of `docpkg` itself.
  static func asksForMainHelp(_ arguments: [String]) -> Bool {
    [["help"], ["--help"], ["-h"]].contains(arguments)
  }

  private func command(
    in arguments: ArraySlice<String>
  ) -> (command: any ParsableCommand.Type, names: [String], rest: ArraySlice<String>) {
    var command: any ParsableCommand.Type = program.root
    var names: [String] = []
    var rest = arguments
    while let name = rest.first,
      let next = command.configuration.subcommands.first(where: { $0.name == name })
    {
      command = next
      names.append(name)
      rest.removeFirst()
    }
    return (command, names, rest)
  }
}

extension ParsableCommand {
  fileprivate static var name: String { _commandName }
}
