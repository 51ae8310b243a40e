import ArgumentParser
import CommandSupport
import FilePackages

struct Tree: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree",
    abstract: "List the children of a package, one path a line.",
    discussion: """
      A folder ends in /. A symbolic link is followed by -> and its destination. A FIFO, a socket or a device is \
      followed by its kind. The hidden folder is not shown. On a terminal, control characters and bytes that are not \
      UTF-8 are shown as \\xNN; elsewhere names are written as they are. -0 also separates names that contain a line \
      feed.

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
    help: "Print only paths, each followed by a NUL instead of a line feed.")
  var endsInNul = false

  @Flag(name: .long, help: "Print a JSON array.")
  var json = false

  @Option(help: "List the children of a version: its identifier, or its first digits.")
  var version: String?

  func validate() throws {
    if endsInNul && (long || json) { throw ValidationError("Give either -0, --long or --json.") }
  }

  func run() async throws {
    if version != nil { _ = try packageWithVersions(at: path) }
    try await PackageStore.reading(at: url(path)) { [self] store in
      var output = NodeOutput(json: json, long: long, endsInNul: endsInNul)
      if version != nil {
        let (tree, lost) = try await store.tree(ofVersion: version)
        for child in lost {
          StandardError.write(
            "docpkg: '\(display(child))' is shown as it is now: its bytes in that version are lost\n")
        }
        try tree.forEachListed { try output.add($0) }
      } else {
        try await store.forEachEntry(attributes: long || json) { try output.add(ListedNode($0)) }
      }
      output.end()
    }
  }
}
