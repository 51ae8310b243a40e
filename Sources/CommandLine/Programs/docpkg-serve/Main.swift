import ArgumentParser
import ServeCommand
import CommandSupport
import FilePackages

@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docpkg", version: FilePackagesVersion.current, subcommands: [Serve.self])

  static func main() { CommandProgram(Main.self, companion: "serve").run() }
}
