import ArgumentParser

/// The options of a command, as its help lists them.
struct OptionNames {
  private var all: Set<String> = []
  private var withValue: Set<String> = []

  private init(of command: any ParsableCommand.Type, below root: any ParsableCommand.Type) {
    let help = root.helpMessage(for: command, columns: 200)
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      let words = line.split(separator: " ")
      let names = words.prefix { $0.hasPrefix("-") }
      let spellings = names.flatMap { $0.split { ",/".contains($0) } }.map(String.init)
      all.formUnion(spellings)
      if words.dropFirst(names.count).first?.hasPrefix("<") == true { withValue.formUnion(spellings) }
    }
  }

  /// Returns the usage error of arguments that ArgumentParser would take in another way than the user means.
  ///
  /// An option behind an option that needs a value becomes that value, as in `--append --json`. A path that begins with a
  /// dash becomes a group of short options, and each `h` in it asks for the help.
  static func problem(
    in arguments: ArraySlice<String>, of command: any ParsableCommand.Type,
    below root: any ParsableCommand.Type
  ) -> ValidationError? {
    let given = arguments.prefix { $0 != "--" }
    let mayTakeOption = zip(given, given.dropFirst()).contains { $0.hasPrefix("--") && $1.hasPrefix("-") }
    // The help takes longer to make than most arguments to read.
    guard mayTakeOption || given.contains(where: isGroup) else { return nil }
    return OptionNames(of: command, below: root).problem(in: given)
  }

  private func problem(in arguments: ArraySlice<String>) -> ValidationError? {
    var rest = arguments
    while let argument = rest.popFirst() {
      if withValue.contains(argument) {
        guard let value = rest.popFirst(), all.contains(String(value.prefix { $0 != "=" })) else { continue }
        return ValidationError(
          "'\(display(value))' is an option, and \(argument) needs a value: if it is the value, give "
            + "\(argument)=\(display(value)).")
      }
      if Self.isGroup(argument), !argument.dropFirst().allSatisfy({ all.contains("-\($0)") }) {
        return ValidationError(
          "There is no option '\(display(argument))': a path that begins with a dash is './\(display(argument))'."
        )
      }
    }
    return nil
  }

  private static func isGroup(_ argument: String) -> Bool {
    argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.count > 2
  }
}
