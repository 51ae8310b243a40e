import ArgumentParser
import BenchCommands
import CloudCommands
import CommandSupport
import DocumentCommands
import ServeCommand

/// All commands in one program, from which the manual and the completions are made. It is not installed.
@main
struct Main: AsyncParsableCommand {
  static let configuration = {
    var configuration = Docpkg.configuration
    configuration.subcommands += [Serve.self, Cloud.self, Bench.self]
    return configuration
  }()

  static func main() { CommandProgram(Main.self).run() }
}
