import ArgumentParser
import CommandSupport
import FilePackages
import FoundationEssentials

struct Conflicts: CoordinatedCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "List the conflict versions of a document.",
    discussion: """
      The document itself has a star. A conflict version was saved on another computer, and a synchronising program \
      made conflict copies of some of its files. Or another program wrote it into the document during a save. Each \
      line has the identifier, the date, the computer or the device of the container, and the children that differ \
      from the document itself. `docpkg diff --version` shows the differences, and `docpkg resolve` resolves them.

      A document with a database has conflicts of rows, which a merge in a container left. Each line has the \
      identifier, the date, the table, the key, the values in place and the other ones.

      A version is whole if every child has the digest that its save recorded.

      A child that another program added, with the name of a child beside it and an addition, is perhaps a copy of \
      it. A line of its own names it, also if nothing is in conflict. It is no conflict: the exit status ignores it.

      Examples:
        docpkg conflicts Trip.imageNotes
        docpkg diff Trip.imageNotes --version 4F2A9C01

      Exit status: 0 nothing is in conflict; 1 conflicts found; 2 failed, nothing lost; 64 usage.
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  func run() async throws {
    if let database = try databaseDocument(at: path) as? any RowConflictDocument,
      case let rows = try await database.rowConflicts(), !rows.isEmpty
    {
      try show(rows)
      throw ExitCode(ExitStatus.different)
    }
    let device = contentDevice(at: path)
    let found = try await PackageStore.reading(at: url(path)) { store in
      let versions = try await store.conflictVersions()
      let current = try await store.metadata()
      let isWhole = try await store.isPresentVersionWhole()
      let present = ShownConflict(current, device, isWhole: isWhole)
      return ShownConflicts(
        versions: versions.isEmpty ? [] : [present] + versions.map(ShownConflict.init),
        perhaps: try await store.possibleCopies())
    }
    try show(found)
    if !found.versions.isEmpty { throw ExitCode(ExitStatus.different) }
  }
}

extension Conflicts {
  private func show(_ found: ShownConflicts) throws {
    if quiet { return }
    if json { return try printJSON(found) }
    var output = StandardOutput()
    if found.versions.isEmpty { output.line("\(display(path)): nothing is in conflict") }
    for version in found.versions { output.line(version.line) }
    for copy in found.perhaps { output.line("\(copy)") }
  }

  private func show(_ rows: [ShownRowConflict]) throws {
    if quiet { return }
    if json { return try printJSON(ShownConflicts(rows: rows)) }
    var output = StandardOutput()
    for row in rows { output.line(row.line) }
  }
}

/// The conflicts of a document, and the children that are perhaps copies.
private struct ShownConflicts: Encodable, Sendable {
  var rows: [ShownRowConflict] = []
  /// The document in its place and the other versions; empty if nothing is in conflict.
  var versions: [ShownConflict] = []
  var perhaps: [PossibleCopy] = []
}

/// A conflict version in the list.
private struct ShownConflict: Encodable, Sendable {
  /// The version in one line.
  let line: String
  var id: String?
  var current: Bool
  var modified: Date?
  var savingComputer: String?
  /// The program that left it; nil if a save has kept it.
  var program: String?
  var whole: Bool
  var changed: [String] = []
  var missing: [String] = []

  private enum CodingKeys: String, CodingKey {
    case id, current, modified, savingComputer, program, whole, changed, missing
  }

  init(_ metadata: PackageMetadata?, _ device: String?, isWhole: Bool) {
    id = metadata?.revision.uuidString
    current = true
    modified = metadata?.modificationDate
    savingComputer = device ?? metadata?.savingComputer
    whole = isWhole
    let name = (isWhole ? id : nil).map { String($0.prefix(8)) } ?? "present "
    let date = modified.map(localTime) ?? "at an unknown time"
    let computer = savingComputer.flatMap { $0.isEmpty ? nil : "  " + display($0) } ?? ""
    line = "* \(name)  \(date)\(computer)  in its place, \(isWhole ? "whole" : "of more than one version")"
  }

  init(_ version: ConflictVersion) {
    line = "  \(version)"
    id = version.id.uuidString
    current = false
    modified = version.modificationDate
    savingComputer = version.savingComputer
    if case .synchronization(let program) = version.origin { self.program = program }
    (whole, changed, missing) = (version.isWhole, version.differences, version.missing)
  }
}
