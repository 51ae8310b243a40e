import ArgumentParser
import FilePackages
import FoundationEssentials

struct Tree: TurnTakingCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree",
    abstract: "List everything in a package, a path a line.",
    discussion: """
      A folder ends in /, a symbolic link is followed by -> and its destination, and what is left alone, a FIFO, \
      a socket or a device, by its kind. The hidden folder is not shown.

      Example:
        docpkg tree Trip.imageNotes --long

      \(ExitStatus.help)
      """)

  @Argument(help: "The package.")
  var path: String

  @Flag(name: .shortAndLong, help: "Print sizes in bytes and modification dates too.")
  var long = false

  @Flag(name: .long, help: "Print a JSON array.")
  var json = false

  func run() async throws {
    try await PackageStore.reading(at: url(path)) { [long, json] store in
      try await store.print(long: long, json: json)
    }
  }
}

extension PackageStore {
  fileprivate func print(long: Bool, json: Bool) throws {
    var output = StandardOutput()
    if json { output.write("[") }
    var isFirst = true
    try forEachEntry(attributes: long || json) { entry in
      if json {
        output.write(isFirst ? "\n" : ",\n")
        output.write(try docpkg.json(Listed(entry)))
        isFirst = false
      } else {
        output.line(entry.line(long: long))
      }
    }
    if json { output.line(isFirst ? "]" : "\n]") }
  }
}

/// An entry as the contract of `tree --json` has it.
private struct Listed: Encodable {
  var path: String
  var kind: PackageEntry.Kind
  var size: UInt64?
  var modified: Date?
  var target: String?

  init(_ entry: PackageEntry) {
    path = entry.path
    kind = entry.kind
    size = entry.size
    modified = entry.modified
    target = entry.target
  }
}

extension PackageEntry {
  fileprivate func line(long: Bool) -> String {
    var line = displayPath
    switch kind {
    case .file: break
    case .directory: line += "/"
    case .link: line += " -> \(target ?? "")"
    case .fifo, .socket, .device: line += " (\(kind.rawValue))"
    }
    guard long else { return line }
    let size = size.map(String.init) ?? "-"
    let date = modified?.formatted(.iso8601) ?? ""
    return String(repeating: " ", count: max(0, 12 - size.count)) + "\(size)  \(date)  \(line)"
  }
}
