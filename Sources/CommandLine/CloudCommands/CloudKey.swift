import ArgumentParser
import CloudContainers
import CommandSupport
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

extension Cloud {
  struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "key",
      abstract: "Write the key of an encrypted container to a file, or change its passphrase.",
      discussion: """
        Each folder of an encrypted container has the key, so that no other command asks for a secret. The store has \
        the key only encrypted by the passphrase.

        \(ExitStatus.help)
        """,
      subcommands: [Export.self, ChangePassphrase.self])

    struct Export: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the key of an encrypted container to a new file.",
        discussion: """
          The file opens all documents of the container. Keep it apart from the machines, for the day \
          on which they and the passphrase are lost. 'docpkg cloud add --key-file' opens the container with it.

          Example:
            docpkg cloud key export ~/Cloud /media/stick/container.key

          \(ExitStatus.help)
          """)

      @Argument(path: "The container folder.")
      var folder: String

      @Argument(path: "The file, which must not be there.")
      var file: String

      @Flag(name: .shortAndLong, help: "Print nothing but errors.")
      var quiet = false

      func run() async throws {
        let text = try await CloudFolder.open(at: folder).container.exportKey()
        do {
          try ContainerKey.write(text, to: FilePath(of: absoluteURL(file), for: .save))
        } catch let error as SystemError {
          throw InputError(description: "'\(display(file))' could not be written: \(error.code.description).")
        }
        Cloud.tell(
          "\(display(file)) has the key. This file opens all documents of the container: keep it secret.",
          unless: quiet)
      }
    }

    struct ChangePassphrase: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "change-passphrase",
        abstract: "Give an encrypted container another passphrase.",
        discussion: """
          The new passphrase comes from --passphrase-file or DOCPKG_PASSPHRASE, or the command asks for it. The key \
          stays, so the other machines go on as before. A copy of the store from before still opens with the old \
          passphrase.

          Example:
            docpkg cloud key change-passphrase ~/Cloud

          \(ExitStatus.help)
          """)

      @OptionGroup var argument: FolderArgument

      @Option(path: "A file whose first line is the passphrase, instead of DOCPKG_PASSPHRASE.")
      var passphraseFile: String?

      @Flag(name: .shortAndLong, help: "Print nothing but errors.")
      var quiet = false

      func run() async throws {
        let container = try await CloudFolder.open(at: argument.path).container
        _ = try container.exportKey()  // It throws before the question.
        let passphrase = try Passphrase.new(file: passphraseFile)
        try await interruptible(saying: "the passphrase is the old one") {
          try await container.changePassphrase(to: passphrase)
        }
        Cloud.tell("The container of \(display(argument.path)) has another passphrase.", unless: quiet)
      }
    }
  }
}
