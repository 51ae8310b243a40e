package import ArgumentParser
import CloudContainers
import CommandSupport
import FoundationEssentials
import ObjectStores

package struct Cloud: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "cloud",
    abstract: "Keep the documents of a folder in an object store, the same on all machines.",
    discussion: """
      A container has the documents of one user, in an S3 service or in a folder such as a mounted disk. On each \
      machine a container folder has them as ordinary packages and files. 'sync' brings the folder and the container \
      together. A document that is not here yet is a placeholder: 'list' shows it, and 'download' brings it.

      What was saved while there was no connection goes up with the next 'sync'. If two machines changed different \
      children of one document, both changes stay. If they changed the same child, the document gets a conflict \
      version, which 'docpkg conflicts' shows.

      The keys of an S3 service come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from awscli's files, or from \
      a program (credential_process). No container folder has them. AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL and \
      AWS_CA_BUNDLE count as for awscli. SSL_CERT_FILE, https_proxy and no_proxy count as for other programs.

      Examples:
        docpkg cloud init s3://documents/me ~/Cloud --endpoint https://s3.example.org
        docpkg cloud sync ~/Cloud
        docpkg cloud list ~/Cloud

      \(ExitStatus.help)
      """,
    subcommands: [
      Init.self, Add.self, Status.self, Sync.self, List.self, Download.self, Evict.self, Move.self,
      Delete.self,
      Restore.self, Versions.self, Keep.self, Devices.self, Key.self, Leave.self, Relocate.self, Check.self,
      Repair.self,
      CollectGarbage.self,
      ContentDevice.self,
    ])

  package init() {}

  /// The folder of commands that look at a whole container.
  struct FolderArgument: ParsableArguments {
    @Argument(path: "The container folder, or a path in it; the working directory by default.")
    var folder: String?

    var path: String { folder ?? "." }
  }

  /// The words for a command that a signal interrupts.
  static let interruption = "what is done stays, and the next 'docpkg cloud sync' does the rest"

  /// Calls `body` with the container folder at a path, or around it, and shows the progress.
  ///
  /// - Parameter words: the state after a signal has interrupted the command.
  static func withFolder<Value: Sendable>(
    _ path: String, saying words: String = interruption, _ limits: TransferLimits? = nil,
    _ body: @escaping @Sendable (CloudFolder) async throws -> Value
  ) async throws -> Value {
    let progress = TransferProgress()
    defer { progress.clear() }
    return try await interruptible(saying: words) {
      try await body(try await CloudFolder.open(at: path, progress, limits))
    }
  }

  /// Prints a line of a report.
  static func tell(_ line: String, unless isQuiet: Bool = false) {
    if isQuiet { return }
    var output = StandardOutput(.report)
    output.line(line)
  }

  /// The sentence that no sync has read the documents of a container yet; nil if one has.
  static func warningIfUnread(_ container: CloudContainer) async throws -> String? {
    if try await container.session.state.known().position.number > 0 { return nil }
    return
      "no sync has read the container's documents yet: 'docpkg cloud sync' reads them, or says why it cannot"
  }

  /// Says on standard error if no sync has read the documents of a container yet; returns whether one has.
  static func isRead(_ container: CloudContainer) async throws -> Bool {
    guard let warning = try await warningIfUnread(container) else { return true }
    StandardError.write("docpkg: \(warning)\n")
    return false
  }

  /// Prints a report: as JSON, or its lines.
  static func tell(
    _ report: some Encodable, _ lines: [String], asJSON: Bool, as purpose: StandardOutput.Purpose = .report
  ) throws {
    if asJSON { return try printJSON(report, as: purpose) }
    var output = StandardOutput(purpose)
    for line in lines { output.line(line) }
  }
}
