import CommandSupport
import DocumentCommands
import Documents
import FilePackages
import ManagedDocuments

/// The commands of `docpkg`, for command lines that name a document with a database.
@main
enum Main {
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
    Docpkg.program.run()
  }
}
