import ArgumentParser
import CloudContainers
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes

extension Cloud {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the documents of a container, with those that are not here.",
      discussion: """
        Prints a line for each document: the date and the size of its last version, the place of its content, and its \
        name. The place is cloud for a placeholder, older if an older state is here, new if the container does not \
        have the content that is here, and otherwise here. The command asks the store for nothing: the list is that \
        of the last 'docpkg cloud sync'. If no sync has read it yet, standard error says so, and the exit status is 1.

        Examples:
          docpkg cloud list ~/Cloud
          docpkg cloud list ~/Cloud --json | jq -r '.[] | select(.isUploaded|not).name'

        \(ExitStatus.help)
        """)

    @OptionGroup var argument: FolderArgument

    @Flag(help: "Print a JSON array.")
    var json = false

    func run() async throws {
      let container = try await CloudFolder.open(at: argument.path).container
      let listing = try await container.listing()
      let lines = listing.items.map { item in
        let date = item.modificationDate.map(localTime) ?? column("-", 19)
        return date + column(item.size.map(String.init) ?? "-", 12) + "  \(item.place)  " + display(item.name)
          + item.notes
      }
      try Cloud.tell(listing.items.map { ListedItem(item: $0) }, lines, asJSON: json, as: .data)
      if try await !Cloud.isRead(container) { throw ExitCode(ExitStatus.different) }
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show the state of a container folder.",
      discussion: """
        Prints the address of the container, whether it is encrypted, the number of documents here and in the \
        container only, and the names of those that are not uploaded, in conflict, failed or left out. It counts the \
        items that the file .docpkgignore leaves out, and the temporary files. The command asks the store for nothing.

        Example:
          docpkg cloud status ~/Cloud

        \(ExitStatus.help)
        """)

    @OptionGroup var argument: FolderArgument

    @Flag(help: "Print the state as JSON.")
    var json = false

    func run() async throws {
      let container = try await CloudFolder.open(at: argument.path).container
      let listing = try await container.listing()
      let items = listing.items
      let state = State(
        address: container.address, isEncrypted: container.isEncrypted, folder: container.url.path,
        documents: items.count,
        placeholders: items.count { $0.downloadingStatus == .notDownloaded },
        notUploaded: items.filter { !$0.isUploaded }.map(\.name),
        older: items.filter { $0.downloadingStatus == .downloaded }.map(\.name),
        conflicts: items.filter(\.hasUnresolvedConflicts).map(\.name),
        errors: items.compactMap(\.problem), kept: try container.keptPatterns,
        leftOut: listing.leftOut, ignored: listing.ignored,
        deleted: try await container.deletedItems().count,
        warning: try await Cloud.warningIfUnread(container))
      try Cloud.tell(state, state.lines, asJSON: json, as: .data)
      if !state.conflicts.isEmpty || !state.errors.isEmpty { throw ExitCode(ExitStatus.different) }
    }

    private struct State: Encodable {
      var address: String
      var isEncrypted: Bool
      var folder: String
      var documents: Int
      var placeholders: Int
      var notUploaded: [String]
      /// Documents with an older state here than in the container.
      var older: [String]
      var conflicts: [String]
      var errors: [String]
      /// The patterns of the documents that this machine always has.
      var kept: [String]
      /// The items in the folder that are no documents, each with the reason.
      var leftOut: [String]
      /// The number of temporary files and items that the folder's rules ignore.
      var ignored: Int
      var deleted: Int
      /// The sentence that no sync has read the container yet.
      var warning: String?

      var lines: [String] {
        var lines = [
          "\(display(folder)) is a container folder of \(address)\(isEncrypted ? ", encrypted" : "")",
          "\(counted(documents, "document")), \(documents - placeholders) here, \(placeholders) in the container only",
        ]
        if let warning { lines.append(warning) }
        if !kept.isEmpty { lines.append("\(display(folder)) \(Keep.words(kept))") }
        lines += notUploaded.map { "not uploaded: \(display($0))" }
        lines += older.map { "older here: \(display($0))" }
        lines += conflicts.map { "in conflict: \(display($0))" }
        lines += errors.map { "failed: \($0)" }
        lines += leftOut.map { "left out: \($0)" }
        if ignored > 0 { lines.append("\(ignored) ignored by .docpkgignore or as temporary") }
        if deleted > 0 { lines.append("\(deleted) deleted; 'docpkg cloud restore' lists them") }
        return lines
      }
    }
  }
}

/// Returns a text with spaces before it, so that it has a width.
func column(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A document in the output of `cloud list --json`: its facts beside its attributes.
private struct ListedItem: Encodable {
  let item: CloudItem

  private enum Key: String, CodingKey { case name, path, type, package, size, modified, savingComputer }

  func encode(to encoder: any Encoder) throws {
    try item.attributes.encode(to: encoder)
    var facts = encoder.container(keyedBy: Key.self)
    try facts.encode(item.name, forKey: .name)
    try facts.encode(item.url.path, forKey: .path)
    try facts.encode(item.contentType.identifier, forKey: .type)
    try facts.encode(item.isPackage, forKey: .package)
    try facts.encodeIfPresent(item.size, forKey: .size)
    try facts.encodeIfPresent(item.modificationDate, forKey: .modified)
    try facts.encodeIfPresent(item.savingComputer, forKey: .savingComputer)
  }
}

extension CloudItem {
  /// The place of the content, in one word of five letters.
  fileprivate var place: String {
    switch attributes.downloadingStatus {
    case .notDownloaded: "cloud"
    case .downloaded: "older"
    case .current: attributes.isUploaded ? "here " : "new  "
    }
  }

  /// The error of the document, with its name.
  fileprivate var problem: String? {
    (attributes.downloadingError ?? attributes.uploadingError).map { "\(display(name)): \($0)" }
  }

  fileprivate var notes: String {
    var notes: [String] = []
    if attributes.isDownloading { notes.append("is to be downloaded") }
    if attributes.hasUnresolvedConflicts { notes.append("in conflict") }
    if let error = attributes.downloadingError ?? attributes.uploadingError { notes.append(error) }
    return notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
  }
}
