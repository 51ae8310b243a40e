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
        Each line has the time at which the machine was last seen, its identity and its name; a star marks this \
        machine. A machine that was removed changes nothing any more, and says so with its next 'sync'. Its documents \
        stay on it, and so does the key of an encrypted container.

        Examples:
          docpkg cloud devices ~/Cloud
          docpkg cloud devices ~/Cloud --rename "old laptop"
          docpkg cloud devices ~/Cloud --remove 9fa8e0df

        \(ExitStatus.help) 2 also if the name of a machine cannot be read; the line has no name then.
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
      try print(devices)
      let unnamed = devices.filter(\.name.isEmpty)
      for device in unnamed {
        let problem = device.problem.map { errorMessage(of: $0) } ?? "its object is damaged."
        StandardError.write(
          "docpkg: The name of the machine '\(display(device.id))' could not be read: \(problem)\n")
      }
      if !unnamed.isEmpty { throw ExitCode(ExitStatus.failed) }
    }

    private func print(_ devices: [CloudDevice]) throws {
      if json { return try printJSON(devices.map(Row.init)) }
      var output = StandardOutput()
      for device in devices {
        output.line(
          "\(device.isCurrent ? "*" : " ") \(localTime(device.lastSeen))  \(device.id)  \(display(device.name))"
        )
      }
    }

    private struct Row: Encodable {
      var id: String
      var name: String?
      var lastSeen: Date
      var isCurrent: Bool

      init(_ device: CloudDevice) {
        (id, lastSeen, isCurrent) = (device.id, device.lastSeen, device.isCurrent)
        if !device.name.isEmpty { name = device.name }
      }
    }
  }
}
