import ArgumentParser
import FilePackages

/// The command line: each command parses its arguments, makes one call of the library, and prints.
struct Docpkg: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docpkg",
    abstract: "Documents made of parts: plain directories, saved safely and only where they changed.",
    discussion: """
      A package is a directory that is one document. Every command takes the path of one. Commands that write \
      say in one line what they wrote and what they reused; with --dry-run they say what they would do.

      Example:
        docpkg new Trip.imageNotes --text "Three valleys" --image Dawn.png
        docpkg edit Trip.imageNotes --append "The hut at last."

      A shell completes commands, options and paths with the script of --generate-completion-script bash, zsh or fish. \
      'make install' puts it in its place, and man pages.

      \(ExitStatus.help)
      """,
    version: FilePackagesVersion.current,
    subcommands: [
      New.self, Show.self, Edit.self, Open.self, Undo.self, Redo.self, ListDocuments.self, Tree.self,
      Cat.self, Info.self, Copy.self, Versions.self, Diff.self, Restore.self, Conflicts.self, Resolve.self,
      Export.self, Import.self, Archive.self, Verify.self, Recover.self, Repair.self, Watch.self, Bench.self,
    ])
}
