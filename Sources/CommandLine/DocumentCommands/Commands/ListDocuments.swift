import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes

struct ListDocuments: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the documents in folders, without opening them.",
    discussion: """
      Prints a line for each package: the date of the last change, the size, the type and the path. The search goes \
      into plain folders. It never goes into packages or symbolic links, and skips names that begin with a dot. The \
      size of a package is unknown, because the command does not open it. Paths are written as they are. A terminal \
      gets control characters, and bytes that are not UTF-8, as \\xNN.

      A package is a directory whose name has the extension of a package or bundle type, or that contains \
      Metadata.plist and .docpkg. The type is the one that the name tells, or else that of Metadata.plist. --types \
      lists the known types. --package-extension adds an extension. The file \
      $XDG_CONFIG_HOME/docpkg/package-extensions adds one on each line (~/.config if the variable is not set). The \
      system's MIME database adds those of its kinds of inode/directory.

      --titles also prints a title before the path: the name in Metadata.plist that `docpkg edit --title` sets, or \
      else the filename without its extension. The command reads this file of each package then. A document whose \
      title cannot be read is listed without one.

      With --watch the command continues until it is interrupted, also if a folder does not exist yet. The first \
      events are found and finished; the later ones are added, changed, moved and removed. The event unreadable says \
      that a folder cannot be searched, and readable that it can be searched again.

      Examples:
        docpkg list ~/Documents --sort date
        docpkg list ~/Documents --type image --name 'Trip*' --json | jq -r .[].path
        docpkg list ~/Documents --type rtfd --type textbundle
        docpkg list ~/Documents --package-extension sketchbook
        docpkg list ~/Documents --watch
        docpkg list ~/Documents -0 | xargs -0 docpkg verify

      \(ExitStatus.help) 2 also if a folder cannot be searched; the documents in the other folders are listed first. \
      130 if Ctrl-C interrupts the command.
      """)

  enum Sorting: String, ExpressibleByArgument, CaseIterable {
    case name, date, size

    var order: DocumentSearch.Order {
      switch self {
      case .name: .name
      case .date: .newest
      case .size: .largest
      }
    }
  }

  @Argument(paths: "The folders; by default the working directory.")
  var folders: [String] = []

  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "List documents of this type: an identifier, an extension, a MIME type, or a word such as image. The default is "
        + "packages and bundles; item lists all.", valueName: "type"))
  var typeNames: [String] = []

  @Option(
    name: .customLong("package-extension"),
    help: ArgumentHelp("Treat directories with this extension as packages, too.", valueName: "extension"))
  var packageExtensions: [String] = []

  @Flag(
    name: .customLong("types"),
    help: "List the known types with their extensions, and no documents.")
  var listsTypes = false

  @Option(help: "List documents whose filename contains this text, or matches it if it has * ? or [.")
  var name: String?

  @Option(help: "By name, by date, the newest first, or by size, the largest first.")
  var sort = Sorting.name

  @Flag(help: "Read and print the title of each document: the user's name for it, or the filename.")
  var titles = false

  @Flag(help: "Do not search folders within the folders.")
  var flat = false

  @Flag(help: "Print changes, until the command is interrupted.")
  var watch = false

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Print only paths, each followed by a NUL instead of a line feed.")
  var endsInNul = false

  @Flag(help: "Print a JSON array, or with --watch a JSON object a line.")
  var json = false

  func validate() throws {
    if titles && (endsInNul || watch || listsTypes) {
      throw ValidationError("--titles cannot be combined with -0, --watch or --types.")
    }
    if endsInNul && (json || watch || listsTypes) {
      throw ValidationError("Give either -0, --json, --watch or --types.")
    }
    if let name, name.isUnclosedSet {
      throw ValidationError("'\(display(name))' has a [ without ]: write [[] for the character [ itself.")
    }
    for name in packageExtensions where !PackageExtensions.isValid(name) {
      throw ValidationError("'\(display(name))' is not an extension.")
    }
    _ = UTType.imageNotes  // The access declares the type.
    // `run()` reports why the user's settings cannot be used.
    if let packages = try? packages { _ = try types(packages) }
  }

  func run() async throws {
    let packages = try packages
    if listsTypes { return try printTypes(packages) }
    let all = folders.isEmpty ? ["."] : folders
    var given: [String] = []
    for path in all where try await folderKind(of: path) == .package { given.append(path) }
    for path in given {
      StandardError.write(
        "docpkg: '\(display(path))' is a document itself; 'docpkg tree' lists its children.\n")
    }
    let folders = all.filter { !given.contains($0) }
    var search = DocumentSearch(in: folders.map(url), for: try types(packages), sortedBy: sort.order)
    if typeNames.isEmpty { search.contentTypes = [.package, .bundle] }
    search.packageExtensions = packages
    search.isRecursive = !flat
    if let name { search.predicate = { $0.isNamed(name) } }
    for type in search.typesWithoutExtension {
      StandardError.write(
        "docpkg: The type '\(type.identifier)' has no extension, so no name tells it, and the list has none of its "
          + "documents. 'docpkg list --types' lists the extensions.\n")
    }
    let spellings = PathSpellings(folders)
    if watch && !folders.isEmpty { return try await watch(search, spellings) }
    let (items, problems) = await search.documents()
    let (documents, unread) = await items.listed(titles: titles)
    try print(documents, spellings)
    for error in unread { StandardError.write("docpkg: \(errorMessage(of: error))\n") }
    for problem in problems { StandardError.write("docpkg: \(errorMessage(of: problem.error))\n") }
    if !problems.isEmpty || !given.isEmpty || !unread.isEmpty { throw ExitCode(ExitStatus.failed) }
  }

  /// Extensions of packages, beside those of the known types.
  private var packages: Set<String> {
    get throws { try PackageExtensions.ofUser().union(PackageExtensions.canonical(packageExtensions)) }
  }

  private func print(_ documents: [ListedDocument], _ spellings: PathSpellings) throws {
    var output = StandardOutput()
    if json {
      output.write("[")
      for (index, document) in documents.enumerated() {
        output.write(index == 0 ? "\n" : ",\n")
        output.write(try CommandSupport.json(Listed(document, spellings)))
      }
      return output.line(documents.isEmpty ? "]" : "\n]")
    }
    let width = documents.map(\.type.identifier.count).max() ?? 0
    let titleWidth = documents.compactMap { $0.title.map { display($0).count } }.max() ?? 0
    for document in documents {
      if !endsInNul { output.write(document.details(typeWidth: width)) }
      if let title = document.title.map({ display($0) }) {
        output.write(title + String(repeating: " ", count: titleWidth - title.count + 2))
      }
      output.write(path: spellings.spelling(of: document.item.path), quoting: !endsInNul)
      output.write(endsInNul ? "\0" : "\n")
    }
  }

  private func watch(_ search: DocumentSearch, _ spellings: PathSpellings) async throws {
    let query = DocumentQuery(search)
    query.start()
    var hasToldLimitation = false
    for await update in query {
      var output = StandardOutput()
      for event in await ListEvent.events(of: update, query, spellings) {
        output.line(json ? try CommandSupport.json(event) : event.text)
      }
      if let limitation = query.limitation, !hasToldLimitation {
        hasToldLimitation = true
        StandardError.write("docpkg: \(limitation)\n")
      }
    }
  }
}

/// A document in the output of `list --json`. Its strings spell names without loss.
private struct Listed: Encodable {
  var path: String
  /// The filename without its extension.
  var name: String
  /// The user's name for the document, with `--titles`.
  var title: String?
  var type: String
  var package: Bool
  var size: UInt64?
  var modified: Date
  var created: Date?

  init(_ document: ListedDocument, _ spellings: PathSpellings) {
    let item = document.item
    path = spellings.spelling(of: item.path)
    name = item.nameWithoutExtension
    title = document.title
    type = document.type.identifier
    package = item.isPackage
    size = item.size
    modified = item.modificationDate
    created = item.creationDate
  }
}

/// One line of `list --watch`.
private struct ListEvent: Encodable {
  var event: String
  var path: String?
  /// The previous path of a moved document.
  var from: String?
  var document: Listed?
  /// The number of documents that were found.
  var count: Int?
  var reason: String?
  var time = Date()

  var text: String {
    if let count { return "\(event) \(count)" }
    let path = display(path ?? "")
    if let from { return "\(event) \(display(from)) -> \(path)" }
    return "\(event) \(path)" + (reason.map { ": \($0)" } ?? "")
  }

  static func events(of update: DocumentQuery.Update, _ query: DocumentQuery, _ spellings: PathSpellings)
    async -> [ListEvent]
  {
    func events(_ name: String, _ items: [DocumentItem]) async -> [ListEvent] {
      await items.listed(titles: false).documents.map { document in
        ListEvent(
          event: name, path: spellings.spelling(of: document.item.path), document: Listed(document, spellings)
        )
      }
    }
    switch update {
    case .startedGathering, .typesWithoutExtension: return []
    case .gathered(let items): return await events("found", items)
    case .finishedGathering: return [ListEvent(event: "finished", count: query.resultCount)]
    case .unreadable(let problem):
      return [
        ListEvent(
          event: "unreadable", path: spellings.spelling(of: problem.url.path),
          reason: errorMessage(of: problem.error))
      ]
    case .readable(let folder):
      return [ListEvent(event: "readable", path: spellings.spelling(of: folder.path))]
    case .updated(let changes):
      var moved = await events("moved", changes.moved.map(\.new))
      for (index, move) in changes.moved.enumerated() {
        moved[index].from = spellings.spelling(of: move.old.path)
      }
      return changes.removed.map { ListEvent(event: "removed", path: spellings.spelling(of: $0.path)) }
        + moved + (await events("changed", changes.changed)) + (await events("added", changes.added))
    }
  }
}

extension ListedDocument {
  /// Returns the columns before the path.
  fileprivate func details(typeWidth: Int) -> String {
    let size = item.size.map(String.init) ?? "-"
    return localTime(item.modificationDate)
      + String(repeating: " ", count: max(0, 12 - size.count)) + size
      + "  \(type)" + String(repeating: " ", count: typeWidth - type.identifier.count + 2)
  }
}

extension DocumentItem {
  /// Returns whether the filename contains `pattern`, or matches it if it has wildcards.
  fileprivate func isNamed(_ pattern: String) -> Bool {
    if pattern.contains(where: { "*?[".contains($0) }) { return fnmatch(pattern, filename, 0) == 0 }
    return filename.lowercased().contains(pattern.lowercased())
  }
}

extension String {
  /// Whether a pattern has a `[` that no `]` closes. To fnmatch(3), it matches nothing then, or the character.
  fileprivate var isUnclosedSet: Bool {
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\" { _ = rest.popFirst() }  // The next character stands for itself.
      guard scalar == "[" else { continue }
      // A `]` directly behind `[` or `[!` is in the set.
      if let first = rest.first, "!^".unicodeScalars.contains(first) { rest.removeFirst() }
      guard let end = rest.dropFirst().firstIndex(of: "]") else { return true }
      rest = rest[rest.index(after: end)...]
    }
    return false
  }
}
