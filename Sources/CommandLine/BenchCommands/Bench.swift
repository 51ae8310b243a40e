package import ArgumentParser
import CommandSupport

package struct Bench: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure what incremental saving costs on this machine and this disk.",
    discussion: """
      Example:
        docpkg bench save --children 10,1000 --html saves.html

      \(ExitStatus.help)
      """,
    subcommands: [Save.self])

  package init() {}
}
