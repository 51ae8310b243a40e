import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages
import FoundationEssentials

extension Cloud {
  struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "devices",
      abstract: "List the machines of a container, rename this one, or remove another one.",
      discussion: """
        Each line has the time of the last change by the machine, its identity and its name; a star marks this \
        machine. A machine that was removed changes nothing any more, and says so with its next 'sync'. Its documents \
        stay on it, and so does the key of an encrypted container.

        Examples:
          docpkg cloud devices ~/Cloud
          docpkg cloud devices ~/Cloud --rename "old laptop"
          docpkg cloud devices ~/Cloud --remove 9fa8e0df

        \(ExitStatus.help)
        """)

    @OptionGroup var argument: FolderArgument

    @Option(help: ArgumentHelp("Another name for this machine.", valueName: "name"))
    var rename: String?

    @Option(
      help: ArgumentHelp(
        "The machine to remove: its identity, or a name that only it has.", valueName: "machine"))
    var remove: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
      if rename != nil, remove != nil { throw ValidationError("--rename and --remove exclude each other.") }
    }

    func run() async throws {
      let container = try await CloudFolder.open(at: argument.path).container
      if let rename {
        try await container.renameDevice(to: rename)
        return
      }
      let devices = try await container.devices()
      if let remove {
        let named = devices.filter { $0.id == remove || $0.name == remove }
        guard named.count == 1, let device = named.first else {
          throw InputError(
            description: named.isEmpty
              ? "The container has no machine '\(display(remove))'. 'docpkg cloud devices' lists them."
              : "\(named.count) machines have the name '\(display(remove))'. Give the identity of one of them."
          )
        }
        try await container.removeDevice(device.id)
        return
      }
      let lines = devices.map {
        "\($0.isCurrent ? "*" : " ") \(localTime($0.lastSeen))  \($0.id)  \(display($0.name))"
      }
      try Cloud.tell(devices, lines, asJSON: json, as: .data)
    }
  }
}
