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
      Prints a line for each document: the date of the last change, the size, the type and the path, in the order of \
      the paths. The search goes into plain folders. It never goes into packages or symbolic links, and skips names \
      that begin with a dot. The size of a package is unknown, because the command does not open it.

      A package is a directory whose name has the extension of a package or bundle type, or that contains \
      Metadata.plist and .docpkg. The type is the one that the name tells, or else that of Metadata.plist.

      --titles also prints a title before the path: the name in Metadata.plist that `docpkg edit --title` sets, or \
      else the filename without its extension.

      Paths are written as they are. A terminal gets control characters, and bytes that are not UTF-8, as \\xNN. A \
      script reads the paths of --json.

      Examples:
        docpkg list ~/Documents
        docpkg list ~/Documents --type image --name 'Trip*' --json | jq -r .[].path
        docpkg list ~/Documents --type rtfd --type textbundle
        docpkg list ~/Documents --json | jq 'sort_by(.modified)'

      \(ExitStatus.help) 2 also if a folder cannot be searched, or if the metadata of a document cannot be read. The \
      other documents are listed all the same.
      """)

  @Argument(paths: "The folders; by default the working directory.")
  var folders: [String] = []

  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "List documents of this type: an identifier, an extension, a MIME type, or a word such as image. The default is "
        + "packages and bundles; item lists all.", valueName: "type"))
  var typeNames: [String] = []

  @Option(help: "List documents whose filename contains this text, or matches it if it has * ? or [.")
  var name: String?

  @Flag(help: "Read and print the title of each document: the user's name for it, or the filename.")
  var titles = false

  @Flag(help: "Print a JSON array.")
  var json = false

  func validate() throws {
    if let name, name.isUnclosedSet {
      throw ValidationError("'\(display(name))' has a [ without ]: write [[] for the character [ itself.")
    }
    _ = UTType.imageNotes  // The access declares the type.
    _ = try types
  }

  func run() async throws {
    let all = folders.isEmpty ? ["."] : folders
    var given: [String] = []
    for path in all where await folderKind(of: path) == .package { given.append(path) }
    for path in given {
      StandardError.write(
        "docpkg: '\(display(path))' is a document itself; 'docpkg tree' lists its children.\n")
    }
    let folders = all.filter { !given.contains($0) }
    var search = DocumentSearch(in: folders.map(url), for: try types, sortedBy: .name)
    if typeNames.isEmpty { search.contentTypes = [.package, .bundle] }
    if let name { search.predicate = { $0.isNamed(name) } }
    for type in search.typesWithoutExtension {
      StandardError.write(
        "docpkg: The type '\(type.identifier)' has no extension, so no name tells it, and the list has none of its "
          + "documents.\n")
    }
    let spellings = PathSpellings(folders)
    let (items, problems) = await search.documents()
    let (documents, unread) = await items.listed(titles: titles)
    try print(documents, spellings)
    for error in unread { StandardError.write("docpkg: \(errorMessage(of: error))\n") }
    for problem in problems { StandardError.write("docpkg: \(errorMessage(of: problem.error))\n") }
    if !problems.isEmpty || !given.isEmpty || !unread.isEmpty { throw ExitCode(ExitStatus.failed) }
  }

  /// The types that the arguments name.
  private var types: [UTType] {
    get throws {
      try typeNames.flatMap { (name: String) throws -> [UTType] in
        let types = UTType.types(named: name)
        if types.isEmpty { throw ValidationError("There is no type '\(display(name))'.") }
        return types
      }
    }
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
      output.write(document.details(typeWidth: width))
      if let title = document.title.map({ display($0) }) {
        output.write(title + String(repeating: " ", count: titleWidth - title.count + 2))
      }
      output.write(path: spellings.spelling(of: document.item.path))
      output.write("\n")
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
    if pattern.contains(where: { "*?[".contains($0) }) { return matches(filename, pattern: pattern) }
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
