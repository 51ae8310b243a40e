import ArgumentParser
import CloudCommands
import CommandSupport

@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "docpkg", subcommands: [Cloud.self])

  static func main() { CommandProgram(Main.self, companion: "cloud").run() }
}
