import ArgumentParser
import CommandSupport
import FilePackages
import FoundationEssentials
import Glibc
import PackageArchive
import Synchronization
import SystemPackage

struct Archive: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "List the contents of archives.",
    discussion: """
      Example:
        docpkg archive Trip.zip

      \(ExitStatus.help)
      """,
    subcommands: [List.self], defaultSubcommand: List.self)
}

extension Archive {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the entries of an archive, one path a line.",
      discussion: """
        Paths are printed as the archive has them, without a check; control characters are shown as \\xNN. A folder \
        ends in /. A link is followed by -> and its destination. The command recognises the same formats as \
        'import'.

        Example:
          docpkg archive list Trip.tar.zst --long

        \(ExitStatus.help)
        """)

    @Argument(path: "The archive, - for standard input.")
    var archive: String

    @Option(help: "The format, instead of the one that the first bytes show.")
    var format: ArchiveFormat?

    @Option(help: "The code page of names that are not marked as UTF-8, such as CP437, CP932 or EUC-KR.")
    var charset: String?

    @Flag(name: .shortAndLong, help: "Print sizes in bytes and modification dates too.")
    var long = false

    @Flag(name: .long, help: "Print a JSON array.")
    var json = false

    func run() async throws {
      var options = ImportOptions()
      options.format = format
      options.charset = charset
      options.passphrase = try Passphrase.given(file: nil)
      let entries = Mutex<[ArchivedEntry]>([])
      let add: @Sendable (ArchivedEntry) -> Void = { entry in entries.withLock { $0.append(entry) } }
      if archive == "-" {
        try await ArchivedEntry.forEach(inArchiveFrom: .standardInput, options: options, add)
      } else {
        try await ArchivedEntry.forEach(inArchiveAt: url(archive), options: options, add)
      }
      let listed = entries.withLock { $0 }
      if json { return try printJSON(listed.map(Listed.init)) }
      var output = StandardOutput()
      for entry in listed { output.line(entry.line(long: long)) }
    }
  }
}

/// An entry in the output of `archive list --json`, with the keys of `tree --json`.
private struct Listed: Encodable {
  var path: String
  var kind: ArchivedEntry.Kind
  var size: UInt64?
  var modified: Date?
  var target: String?

  init(_ entry: ArchivedEntry) {
    path = entry.path
    kind = entry.kind
    size = entry.size
    modified = entry.modificationDate
    target = entry.linkDestination
  }
}

extension ArchivedEntry {
  fileprivate func line(long: Bool) -> String {
    guard long else { return description }
    let size = size.map(String.init) ?? "-"
    let date = modificationDate.map(localTime) ?? ""
    return String(repeating: " ", count: max(0, 12 - size.count)) + "\(size)  \(date)  \(self)"
  }
}
