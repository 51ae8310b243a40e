import ArgumentParser
import ServeCommand
import CommandSupport

@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "docpkg", subcommands: [Serve.self])

  static func main() { CommandProgram(Main.self, companion: "serve").run() }
}
