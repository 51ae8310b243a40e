import ArgumentParser

/// A command that reads the plainest form of its arguments by itself.
package protocol PlainCommand: CoordinatedCommand {
  /// Makes the command of the arguments after its name; nil if ArgumentParser has to read them.
  init?(plain arguments: ArraySlice<String>)
}

extension PlainCommand {
  /// Makes the command of these arguments if they are valid. If they are not, ArgumentParser finds that, and reports it.
  static func read(_ arguments: ArraySlice<String>) -> (any CoordinatedCommand)? {
    guard var command = Self(plain: arguments) else { return nil }
    do {
      try command.validate()
      return command
    } catch {
      return nil
    }
  }
}
