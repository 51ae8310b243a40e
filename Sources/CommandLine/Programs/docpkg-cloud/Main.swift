import ArgumentParser
import CloudCommands
import CommandSupport
import FilePackages

@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docpkg", version: FilePackagesVersion.current, subcommands: [Cloud.self])

  static func main() { CommandProgram(Main.self, companion: "cloud").run() }
}
