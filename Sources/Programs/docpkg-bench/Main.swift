import ArgumentParser
import BenchCommands
import CommandSupport

@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "docpkg", subcommands: [Bench.self])

  static func main() { CommandProgram(Main.self, companion: "bench").run() }
}
