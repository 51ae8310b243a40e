import ArgumentParser
import FilePackages

struct Tree: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree",
    abstract: "List everything in a package, a path a line.",
    discussion: """
      A folder ends in /, a symbolic link is followed by -> and its destination, and what is left alone, a FIFO, \
      a socket or a device, by its kind. The hidden folder is not shown. On a terminal, control characters and what is not \
      UTF-8 are shown as \\xNN; elsewhere names are written as they are, and with -0 also those with a line feed can be \
      told apart.

      Examples:
        docpkg tree Trip.imageNotes --long
        docpkg tree Trip.imageNotes --version 4F2A9C01
        docpkg tree Trip.imageNotes -0 | xargs -0 -n 1 docpkg cat Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(path: "The package.")
  var path: String

  @Flag(name: .shortAndLong, help: "Print sizes in bytes and modification dates too.")
  var long = false

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Print paths alone, each with a NUL behind it instead of a line feed.")
  var endsInNul = false

  @Flag(name: .long, help: "Print a JSON array.")
  var json = false

  @Option(name: .long, help: "What was in a version: the identifier, or its first digits.")
  var version: String?

  func validate() throws {
    if endsInNul && (long || json) { throw ValidationError("Give either -0, --long or --json.") }
  }

  func run() async throws {
    try await PackageStore.reading(at: url(path)) { [self] store in
      var output = NodeOutput(json: json, long: long, endsInNul: endsInNul)
      if version != nil {
        let (tree, lost) = try await store.tree(ofVersion: version)
        for child in lost {
          StandardError.write(
            "docpkg: '\(display(child))' is shown as it is now: what it was in that version is not kept\n")
        }
        try tree.forEachListed { try output.add($0) }
      } else {
        try await store.forEachEntry(attributes: long || json) { try output.add(ListedNode($0)) }
      }
      output.end()
    }
  }
}
