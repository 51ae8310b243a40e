package import ArgumentParser
package import CommandSupport
import FilePackages

/// The commands on documents: each parses its arguments, makes one call of the library, and prints.
package struct Docpkg: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "docpkg",
    abstract: "Save documents that are directories: safely, and only the changed children.",
    discussion: """
      A package is a directory that is one document. Every command takes the path of a package. A command that \
      writes prints one line: the children that it wrote and the number that it reused. With --dry-run it prints the \
      plan and writes nothing.

      Example:
        docpkg new Trip.imageNotes --text "Three valleys" --image Dawn.png
        docpkg edit Trip.imageNotes --append "The hut at last."

      --generate-completion-script bash, zsh or fish prints the script with which a shell completes commands, \
      options and paths. 'make install' installs these scripts, and the manual pages.

      \(ExitStatus.help)
      """,
    version: FilePackagesVersion.current,
    subcommands: [
      New.self, Show.self, Edit.self, Undo.self, Redo.self, ListDocuments.self, Tree.self,
      Cat.self, Info.self, Copy.self, Versions.self, Diff.self, Restore.self, Conflicts.self, Resolve.self,
      Export.self, Import.self, Verify.self, Recover.self, Repair.self,
    ])

  package init() {}

  /// Returns a program with these commands, and with those that `root` has besides.
  package static func program(_ root: any AsyncParsableCommand.Type) -> CommandProgram {
    // The plainest form of the commands that are given most is read without ArgumentParser.
    CommandProgram(
      root, plainCommands: ["cat": Cat.self, "edit": Edit.self],
      prepare: { try DatabaseDocuments.handOver($0) })
  }
}
