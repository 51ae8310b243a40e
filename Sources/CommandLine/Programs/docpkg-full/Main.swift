import ArgumentParser
import BenchCommands
import CloudCommands
import CommandSupport
import DocumentCommands
import Documents
import FilePackages
import ManagedDocuments

/// All commands: those of `docpkg`, which also take documents with a database here, and those that `docpkg` hands over.
@main
struct Main: AsyncParsableCommand {
  static let configuration = {
    var configuration = Docpkg.configuration
    configuration.subcommands += [Cloud.self, Bench.self]
    return configuration
  }()

  static func main() {
    DatabaseDocuments.open { path in
      do {
        return try ManagedPackage(at: url(path)).map { DatabaseDocument($0, at: path) }
      } catch {
        // The document may have a database, so the command does not begin.
        let code = (error as? DocumentError)?.fileError?.code
        if code == .inputOutput || code == .noSpace { throw error }
        // For a path that is no package the command itself has the error.
        return nil
      }
    }
    Docpkg.program(Main.self).run()
  }
}
