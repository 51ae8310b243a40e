import ArgumentParser

struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure on this machine and this disk.",
    discussion: """
      Everything is measured beside other ways of doing it, in turn, so that the ratios hold also on a busy \
      machine. What is left on disk is compared with what it has to be, byte by byte.

      Examples:
        docpkg bench save --children 10,1000 --changed 1
        docpkg bench replay Monday.rtfd Tuesday.rtfd Wednesday.rtfd --html replay.html

      \(ExitStatus.help)
      """,
    subcommands: [Save.self, Open.self, Export.self, Documents.self, Replay.self, Goals.self])
}
