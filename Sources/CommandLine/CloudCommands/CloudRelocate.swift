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
        Without --copy the new address is one of the same store, or of a copy that has the container. With --copy the \
        command copies all objects from the old store first. A copy that was cut short can be repeated. The old store \
        keeps its objects, and tells the other machines the new address.

        Run the command on each machine, with --copy on the first one. A machine that syncs with the old store then \
        changes nothing, and says what to do; after its 'relocate', its changes go to the new store.

        Examples:
          docpkg cloud relocate ~/Cloud /media/new-place/documents
          docpkg cloud relocate ~/Cloud s3://documents/me --copy

        \(ExitStatus.help)
        """)

    @Argument(path: "The container folder.")
    var folder: String

    @Argument(help: "The new store: s3://bucket/prefix, or the path of a folder.", completion: .directory)
    var address: String

    @OptionGroup var service: ServiceOptions

    @Flag(help: "Copy all objects from the old store.")
    var copy = false

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    func validate() throws {
      if address.isEmpty { throw ValidationError("The address is empty.") }
      do {
        try StoreAddress(address, service).check()
      } catch {
        throw ValidationError("\(error)")
      }
    }

    func run() async throws {
      let (place, address, copy) = (absoluteURL(folder), StoreAddress(address, service), copy)
      guard isContainerFolder(url(folder)) else {
        throw InputError(description: "'\(display(folder))' is no container folder.")
      }
      if let store = address.folder, "\(store)/".hasPrefix(place.path + "/") {
        throw InputError(description: "The store's folder must not be in the container folder.")
      }
      let report = try await interruptible(
        saying: "the folder has its old store; the same command does the rest"
      ) {
        let (oldText, oldOptions) = try CloudContainer.settings(of: place)
        let old = copy ? RetryingStore(CountingStore(try StoreAddress(oldText, oldOptions).open())) : nil
        return try await CloudContainer.relocate(
          place, to: RetryingStore(CountingStore(try address.open())), address: address.text,
          options: address.options, copyingFrom: old)
      }
      if let problem = report.problem {
        StandardError.write(
          "docpkg: warning: The old store does not tell the other machines. Run 'docpkg cloud relocate' on them by hand. "
            + "\(problem)\n")
      }
      if quiet { return }
      var output = StandardOutput(.report)
      if copy { output.line("copied \(counted(report.copied, "object"))") }
      output.line("\(display(folder)) is a container folder of \(address.text)")
    }
  }
}
