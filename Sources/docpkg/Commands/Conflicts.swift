import ArgumentParser
import FilePackages
import FoundationEssentials

struct Conflicts: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "List the conflict versions of a document.",
    discussion: """
      The document itself has a star. A conflict version was saved on another computer, and a synchronising program \
      made conflict copies of some of its files. Or another program wrote it into the document during a save. Each \
      line has the identifier, the date, the computer, and the children that differ from the document itself. \
      `docpkg diff --version` shows the differences, and `docpkg resolve` resolves them.

      A version is whole if every child has the digest that its save recorded.

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
    let shown = try await PackageStore.reading(at: url(path)) { store in
      let versions = try await store.conflicts()
      let current = try await store.metadata()
      let isWhole = try await store.isPresentVersionWhole()
      return [ShownConflict(current, isWhole: isWhole)] + versions.map(ShownConflict.init)
    }
    if json {
      try printJSON(shown.count == 1 ? [] : shown)
    } else if !quiet {
      var output = StandardOutput()
      if shown.count == 1 { output.line("\(display(path)): nothing is in conflict") }
      for version in shown where shown.count > 1 { output.line(version.line) }
    }
    if shown.count > 1 { throw ExitCode(ExitStatus.different) }
  }
}

/// A conflict version in the list.
private struct ShownConflict: Encodable, Sendable {
  var id: String?
  var current: Bool
  var modified: Date?
  var savingComputer: String?
  /// The program that left it; nil if a save has kept it.
  var program: String?
  var whole: Bool
  var changed: [String] = []
  var missing: [String] = []

  init(_ metadata: PackageMetadata?, isWhole: Bool) {
    id = metadata?.revision.uuidString
    current = true
    modified = metadata?.modificationDate
    savingComputer = metadata?.savingComputer
    whole = isWhole
  }

  init(_ version: ConflictVersion) {
    id = version.id.uuidString
    current = false
    modified = version.modificationDate
    savingComputer = version.savingComputer
    if case .synchronization(let program) = version.origin { self.program = program }
    (whole, changed, missing) = (version.isWhole, version.differences, version.missing)
  }

  var line: String {
    let date = modified?.formatted(.iso8601) ?? "at an unknown time"
    let name = current && !whole ? "present " : id.map { String($0.prefix(8)) } ?? "present "
    let computer = (savingComputer?.isEmpty == false ? savingComputer : nil).map { "  \(display($0))" } ?? ""
    return "\(current ? "*" : " ") \(name)  \(date)\(computer)  \(origin), \(state)\(names)"
  }

  private var origin: String {
    if current { return "in its place" }
    return program.map { "left by \($0)" } ?? "written by another program"
  }

  private var state: String {
    if whole { return "whole" }
    if current { return "of more than one version" }
    if missing.isEmpty { return "some children" }
    return "\(missing.count) missing: \(list(missing))"
  }

  private var names: String { changed.isEmpty ? "" : "  \(list(changed))" }

  private func list(_ names: [String]) -> String {
    names.count <= 4
      ? names.map { display($0) }.joined(separator: ", ")
      : names.prefix(3).map { display($0) }.joined(separator: ", ") + " and \(names.count - 3) more"
  }
}
