import ArgumentParser
import CloudContainers
import FilePackages
import FoundationEssentials
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

        Examples:
          docpkg cloud init s3://documents/me ~/Cloud --endpoint https://s3.example.org
          docpkg cloud init /media/disk/documents ~/Cloud

        \(ExitStatus.help) 2 also if the store cannot hold a container.
        """)

    @OptionGroup var connection: Connection

    func run() async throws {
      try await connection.connect { store, address in
        if try await ContainerMark(store).find() != nil {
          throw InputError(
            description:
              "\(store.place) has a container already. 'docpkg cloud add' adds a folder to it.")
        }
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

        Example:
          docpkg cloud add s3://documents/me ~/Cloud --endpoint https://s3.example.org

        \(ExitStatus.help) 2 also if the store has no container, or cannot hold one.
        """)

    @OptionGroup var connection: Connection

    func run() async throws {
      try await connection.connect { store, _ in
        if try await ContainerMark(store).find() == nil {
          throw InputError(
            description: "\(store.place) has no container. Check the address; 'docpkg cloud init' makes one.")
        }
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

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
      do {
        try StoreAddress(address, service).check()
      } catch {
        throw ValidationError("\(error)")
      }
    }

    /// Makes the folder one of the container.
    ///
    /// - Parameter check: looks at the store first.
    func connect(
      _ check: @escaping @Sendable (any ObjectStore, StoreAddress) async throws -> Void
    ) async throws {
      let address = StoreAddress(address, service)
      let (place, device) = (absoluteURL(folder), device)
      if let store = address.folder,
        "\(store)/".hasPrefix(place.path + "/") || "\(place.path)/".hasPrefix(store + "/")
      {
        throw InputError(
          description: "The container folder and the store's folder must not be in each other.")
      }
      let container = try await interruptible(saying: "the folder is in no container") {
        let store = RetryingStore(CountingStore(try address.open()))
        try await check(store, address)
        try await StoreProbe(store).check()
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return try await CloudContainer.add(
          ContainerFolder(place), to: store, address: address.text, options: try address.settledOptions(),
          deviceName: device, now: { Date() })
      }
      if json {
        return try printJSON(["address": container.address, "folder": place.path], as: .report)
      }
      var output = StandardOutput(.report)
      output.line(
        "\(display(folder)) is a container folder of \(address.text). 'docpkg cloud sync \(display(folder))' brings "
          + "them together.")
    }
  }
}
