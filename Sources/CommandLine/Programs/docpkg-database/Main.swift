import CommandSupport
import DocumentCommands
import ManagedDocuments

/// The commands of `docpkg`, for command lines that name a document with a database.
@main
enum Main {
  static func main() {
    DatabaseDocuments.open { path in
      // For a path that is no package the command itself has the error.
      (try? ManagedPackage(at: url(path))).map { DatabaseDocument($0, at: path) }
    }
    Docpkg.program.run()
  }
}
