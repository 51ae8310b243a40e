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
    let habit = names.isEmpty ? Habits.advice[name].map { " \($0)" } : nil
    return ValidationError(
      "There is no command '\(path)'."
        + (habit
          ?? didYouMean(
            name,
            among: names.isEmpty
              ? all + Companion.names(besides: program) : configuration.subcommands.map { $0.name })))
  }

  /// Returns a suggestion for arguments that the parser refused.
  func hint(for arguments: [String]) -> String? {
    let (command, names, rest) = command(in: arguments[...])
    guard command.configuration.defaultSubcommand != nil, let name = rest.first, access(name, F_OK) != 0,
      let meant = nearest(to: name, among: command.configuration.subcommands.map { $0.name })
    else { return nil }
    return "Did you mean '\((["docpkg"] + names + [meant]).joined(separator: " "))'?"
  }

  /// Whether arguments ask for help or for another output of the parser, and not for the work of a command.
  static func asksForHelp(_ arguments: [String]) -> Bool {
    arguments.first == "help" || arguments.contains { $0.hasPrefix("-") }
  }

  /// Whether arguments ask for the help of `docpkg` itself.
  static func asksForMainHelp(_ arguments: [String]) -> Bool {
    [["help"], ["--help"], ["-h"]].contains(arguments)
  }

  /// Returns the usage error of options and values in these arguments.
  func optionProblem(
    in arguments: [String]
  ) -> (error: ValidationError, command: any ParsableCommand.Type)? {
    if arguments.first == "help" { return nil }
    var (command, _, rest) = command(in: arguments[...])
    while let inner = command.configuration.defaultSubcommand { command = inner }
    return OptionNames.problem(in: rest, of: command, below: program.root).map { ($0, command) }
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
