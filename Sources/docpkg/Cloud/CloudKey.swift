import ArgumentParser
import CloudContainers
import FilePackages
import FoundationEssentials
import Glibc

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
        try write(text)
        if quiet { return }
        var output = StandardOutput(.report)
        output.line(
          "\(display(file)) has the key. This file opens all documents of the container: keep it secret.")
      }

      /// Makes the file, which only its owner can read.
      private func write(_ text: String) throws {
        let descriptor = Glibc.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { throw removing() }
          rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw removing() }
        // The name, too, outlives a power cut.
        let folder = Glibc.open(
          absoluteURL(file).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw removing() }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw removing() }
      }

      /// Removes a file that is not whole, and returns the reason.
      private func removing() -> InputError {
        let error = failure()
        unlink(file)
        return error
      }

      private func failure() -> InputError {
        InputError(
          description: "'\(display(file))' could not be written: \(String(cString: strerror(errno))).")
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
        // Before the question.
        _ = try container.exportKey()
        let passphrase = try Passphrase.new(file: passphraseFile)
        try await interruptible(saying: "the passphrase is the old one") {
          try await container.changePassphrase(to: passphrase)
        }
        if quiet { return }
        var output = StandardOutput(.report)
        output.line("The container of \(display(argument.path)) has another passphrase.")
      }
    }
  }
}
