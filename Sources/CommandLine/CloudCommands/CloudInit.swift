import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages
import FoundationEssentials
import Glibc
import ObjectStores

extension Cloud {
  struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract: "Make a container in a store, and a container folder on this machine.",
      discussion: """
        First the store is probed: a store that lets two writers make the same object would lose versions, and is \
        refused. The bucket or the folder of the store must be there. 'docpkg cloud add' adds the folders of other \
        machines.

        A container in a service is encrypted before the upload, unless there is --no-encrypt; one in a folder is \
        encrypted with --encrypt. The passphrase comes from --passphrase-file or DOCPKG_PASSPHRASE, or the command \
        asks for it. If the passphrase and the key are lost, the documents in the container are lost, and no program \
        can find them again: write the key to a file with 'docpkg cloud key export', and keep the file elsewhere.

        Examples:
          docpkg cloud init s3://documents/me ~/Cloud --endpoint https://s3.example.org
          docpkg cloud init /media/disk/documents ~/Cloud

        \(ExitStatus.help) 2 also if the store cannot hold a container.
        """)

    @OptionGroup var connection: Connection

    @Flag(
      inversion: .prefixedNo, exclusivity: .exclusive,
      help: "Encrypt all documents before the upload; the default for a service.")
    var encrypt: Bool?

    func validate() throws {
      if encrypt == false, connection.passphraseFile != nil {
        throw ValidationError("--no-encrypt and --passphrase-file exclude each other.")
      }
    }

    func run() async throws {
      let encrypts =
        encrypt ?? (connection.passphraseFile != nil || StoreAddress.isService(connection.address))
      let secret = try encrypts ? connection.newPassphrase() : nil
      try await connection.connect { store in
        if try await ContainerMark(store).find() != nil {
          throw InputError(
            description:
              "\(store.place) has a container already. 'docpkg cloud add' adds a folder to it.")
        }
        return secret
      }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a folder of this machine to a container.",
      discussion: """
        The documents of the folder go to the container with the first 'docpkg cloud sync', and those of the \
        container become placeholders in the folder. First the store is probed, as by 'docpkg cloud init': the way \
        of this machine to the store may be another one.

        An encrypted container opens with its passphrase, which comes from --passphrase-file or DOCPKG_PASSPHRASE, or \
        which the command asks for. --key-file opens it without a passphrase. The folder then has the key, so that no \
        other command needs a secret.

        Example:
          docpkg cloud add s3://documents/me ~/Cloud --endpoint https://s3.example.org

        \(ExitStatus.help) 2 also if the store has no container, or cannot hold one.
        """)

    @OptionGroup var connection: Connection

    @Option(path: "The file of 'docpkg cloud key export', which opens an encrypted container.")
    var keyFile: String?

    func run() async throws {
      let (connection, keyFile) = (connection, keyFile)
      try await connection.connect { store in
        guard let mark = try await ContainerMark(store).find() else {
          throw InputError(
            description: "\(store.place) has no container. Check the address; 'docpkg cloud init' makes one.")
        }
        if let keyFile {
          return .keyFile(String(decoding: try contents(ofFile: keyFile).contents(), as: UTF8.self))
        }
        // A secret that the user names must be of use. One in the environment may be there for something else.
        if !mark.isEncrypted, connection.passphraseFile == nil { return nil }
        return try connection.passphrase(for: store.place)
      }
    }
  }

  /// The arguments and the work that `init` and `add` share.
  struct Connection: ParsableArguments {
    @Argument(
      help: "The store: s3://bucket/prefix, or the path of a folder.", completion: .directory,
      transform: { address in
        if address.isEmpty { throw ValidationError("the address is empty.") }
        return address
      })
    var address: String

    @Argument(path: "The container folder; it is made if there is none.")
    var folder: String

    @OptionGroup var service: ServiceOptions

    @Option(
      help: ArgumentHelp("The name of this machine for people; by default its host name.", valueName: "name"))
    var device: String?

    @Option(path: "A file whose first line is the passphrase, instead of DOCPKG_PASSPHRASE.")
    var passphraseFile: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Returns the passphrase of a new container.
    func newPassphrase() throws -> ContainerSecret {
      .passphrase(try Passphrase.new(file: passphraseFile, otherwise: "give --no-encrypt"))
    }

    /// Returns the passphrase of a container.
    func passphrase(for place: String) throws -> ContainerSecret {
      if let given = try Passphrase.given(file: passphraseFile) { return .passphrase(given) }
      guard isatty(STDIN_FILENO) == 1 else { throw Passphrase.missing("give --key-file") }
      return .passphrase(try Passphrase.ask("Passphrase of the container in \(display(place)): "))
    }

    func validate() throws { try StoreAddress(address, service).validate() }

    /// Makes the folder one of the container.
    ///
    /// - Parameter secret: looks at the store first, and returns the secret of the container.
    func connect(
      _ secret: @escaping @Sendable (any ObjectStore) async throws -> ContainerSecret?
    ) async throws {
      let address = StoreAddress(address, service)
      let (place, device) = (absoluteURL(folder), device)
      try address.check(containerFolder: place)
      let container = try await interruptible(saying: "the folder is in no container") {
        let store = RetryingStore(CountingStore(try address.open()))
        let secret = try await secret(store)
        try await StoreProbe(store).check()
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return try await CloudContainer.add(
          ContainerFolder(place), to: store, address: address.text, options: try address.settledOptions(),
          deviceName: device, secret: secret, now: { Date() })
      }
      var lines = [
        "\(display(folder)) is a container folder of \(address.text). 'docpkg cloud sync \(display(folder))' brings "
          + "them together."
      ]
      if container.isEncrypted {
        lines.append(
          "The container is encrypted. If its passphrase and its key are lost, its documents are lost: 'docpkg cloud key "
            + "export' writes the key to a file.")
      } else if address.folder == nil {
        lines.append("The container is not encrypted.")
      }
      let result = Result(
        address: container.address, folder: place.path, isEncrypted: container.isEncrypted)
      try Cloud.tell(result, lines, asJSON: json)
    }

    private struct Result: Encodable {
      var address: String
      var folder: String
      var isEncrypted: Bool
    }
  }
}
