import ArgumentParser
import BenchCommands
import CommandSupport
import FilePackages

@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docpkg", version: FilePackagesVersion.current, subcommands: [Bench.self])

  static func main() { CommandProgram(Main.self, companion: "bench").run() }
}
