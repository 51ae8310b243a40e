import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages
import FoundationEssentials
import ObjectStores

extension Cloud {
  struct Relocate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "relocate",
      abstract: "Give a container folder another store.",
      discussion: """
        The new address is one of the same store, or of a copy that has all its objects, such as one of 'cp -a' or \
        'rclone copy'. Objects never change, so a copy can be made again while machines sync.

        Run the command on each machine. With --moved on the first one, the old store tells the other machines: each \
        changes nothing then, and says what to do. After its 'relocate', its changes go to the new store.

        Examples:
          docpkg cloud relocate ~/Cloud /media/new-place/documents
          docpkg cloud relocate ~/Cloud s3://documents/me --moved

        \(ExitStatus.help)
        """)

    @Argument(path: "The container folder.")
    var folder: String

    @Argument(help: "The new store: s3://bucket/prefix, or the path of a folder.", completion: .directory)
    var address: String

    @OptionGroup var service: ServiceOptions

    @Flag(help: "Tell the other machines through the old store.")
    var moved = false

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    func validate() throws {
      if address.isEmpty { throw ValidationError("The address is empty.") }
      try StoreAddress(address, service).validate()
    }

    func run() async throws {
      let (place, address, moved) = (absoluteURL(folder), StoreAddress(address, service), moved)
      guard isContainerFolder(url(folder)) else {
        throw InputError(description: "'\(display(folder))' is no container folder.")
      }
      try address.check(containerFolder: place)
      try await interruptible(saying: "the folder has its old store; the same command does the rest") {
        let (oldText, oldOptions) = try CloudContainer.settings(of: place)
        let old = moved ? RetryingStore(CountingStore(try StoreAddress(oldText, oldOptions).open())) : nil
        try await CloudContainer.relocate(
          place, to: RetryingStore(CountingStore(try address.open())), address: address.text,
          options: try address.settledOptions(), tellingIn: old)
      }
      Cloud.tell("\(display(folder)) is a container folder of \(address.text)", unless: quiet)
    }
  }
}
