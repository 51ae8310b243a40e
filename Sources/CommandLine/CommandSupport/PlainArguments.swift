/// The arguments of a command in their plainest form: operands, options with a value after them, and flags.
///
/// ArgumentParser casts each option to its protocols, and each cast looks through the conformances of the whole program.
/// That is most of the time of a short command. So a few commands read this form by themselves. Arguments of another
/// form go to ArgumentParser, which also has all errors and all help.
package struct PlainArguments {
  private var operands: [String] = []
  private var values: [String: [String]] = [:]
  private var flags: Set<String> = []

  /// - Parameters:
  ///   - options: the names of options with a value, as `--text`.
  ///   - flags: the names of flags.
  /// - Returns: nil if an argument is empty, or if one that begins with a dash is no name of these.
  package init?(_ arguments: some Sequence<String>, options: Set<String>, flags names: Set<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      if options.contains(argument) {
        guard let value = rest.next(), Self.isPlain(value) else { return nil }
        values[argument, default: []].append(value)
      } else if names.contains(argument) {
        flags.insert(argument)
      } else {
        guard Self.isPlain(argument) else { return nil }
        operands.append(argument)
      }
    }
  }

  private static func isPlain(_ argument: String) -> Bool { !argument.isEmpty && !argument.hasPrefix("-") }

  /// Returns the operands if there are this many; nil otherwise.
  package func operands(_ count: Int) -> [String]? { operands.count == count ? operands : nil }

  /// The values of an option, in order.
  package func values(_ name: String) -> [String] { values[name] ?? [] }

  /// Whether an option that takes one value has several. ArgumentParser decides then.
  package func repeats(_ names: [String]) -> Bool { names.contains { values($0).count > 1 } }

  package func has(_ flag: String) -> Bool { flags.contains(flag) }
}
