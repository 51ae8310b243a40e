import ArgumentParser

/// A command that reads the plainest form of its arguments by itself.
protocol PlainCommand: CoordinatedCommand {
  /// Makes the command of the arguments after its name; nil if ArgumentParser has to read them.
  init?(plain arguments: ArraySlice<String>)
}

extension PlainCommand {
  /// Makes the command of these arguments if they are valid. If they are not, ArgumentParser finds that, and reports it.
  fileprivate static func read(_ arguments: ArraySlice<String>) -> (any CoordinatedCommand)? {
    guard var command = Self(plain: arguments) else { return nil }
    do {
      try command.validate()
      return command
    } catch {
      return nil
    }
  }
}

/// The commands that read their plainest form, by name.
let plainCommands: [String: any PlainCommand.Type] = ["cat": Cat.self, "edit": Edit.self]

/// Returns the command of arguments in their plainest form; nil if ArgumentParser has to read them.
func plainCommand(_ arguments: [String]) -> (any CoordinatedCommand)? {
  arguments.first.flatMap { plainCommands[$0] }?.read(arguments.dropFirst())
}
