package import ArgumentParser
import CommandSupport

package struct Bench: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure on this machine and this disk.",
    discussion: """
      Each benchmark measures several strategies in the same rounds, so that ratios are valid also on a busy \
      machine. The state on disk is compared with the expected one, byte by byte.

      Examples:
        docpkg bench save --children 10,1000 --changed 1
        docpkg bench replay Monday.rtfd Tuesday.rtfd --html replay.html

      \(ExitStatus.help)
      """,
    subcommands: [
      Save.self, Open.self, Export.self, Documents.self, Replay.self, Managed.self, Cloud.self, Goals.self,
    ])

  package init() {}
}
