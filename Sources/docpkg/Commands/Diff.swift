import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials
import ManagedDocuments

struct Diff: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare versions of a document, or two packages.",
    discussion: """
      Two versions are compared from the first to the second, and one version with the document on disk. Without a \
      version, the command shows the changes of the last save. Two packages are compared from the first to the \
      second, without their metadata and hidden folders. Texts are compared by line, in unified form. For an image, \
      the output has the format and the size in pixels; for any other child, the size. Of a document with a database, \
      the output has the numbers of changed rows, a line for each table, and the changed files.

      Examples:
        docpkg diff Trip.imageNotes
        docpkg diff Trip.imageNotes --version 4F2A9C01 --stat
        docpkg diff Monday.rtfd Tuesday.rtfd

      Exit status: 0 no differences; 1 differences found; 2 failed, nothing lost; 64 usage.
      """)

  @Argument(path: "The document.")
  var path: String

  @Argument(path: "Another package to compare it with.")
  var other: String?

  @Option(
    name: .customLong("version"),
    help: "The identifier of a version or conflict version, or its first digits; up to two.",
    completion: .versions)
  var versions: [String] = []

  @Flag(help: "Print only one line for each child.")
  var stat = false

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  func validate() throws {
    if versions.count > 2 { throw ValidationError("Give at most two versions.") }
    if other != nil && !versions.isEmpty {
      throw ValidationError("Give either another package or --version.")
    }
  }

  func run() async throws {
    if let package = managedPackage(path) { return try await compare(package) }
    if let other {
      return try await coordinated(other) { try print(try await differences(to: other), lost: []) }
    }
    let (shown, lost) = try await differencesOfVersions()
    try print(shown, lost: lost)
  }

  private func differences(to other: String) async throws -> [ShownDifference] {
    try await PackageStore.reading(at: url(path)) { first in
      try await PackageStore.reading(at: url(other)) { second in
        try await first.tree.differences(to: second.tree).map(ShownDifference.init)
      }
    }
  }

  /// Compares a document with a database.
  private func compare(_ package: ManagedPackage) async throws {
    guard let other else { return try print(try await differencesOfVersions(of: package)) }
    guard let second = managedPackage(other) else {
      throw InputError(description: "'\(display(other))' has no database, and '\(display(path))' has one.")
    }
    try await coordinated(other) { try print(try await package.differences(to: second)) }
  }

  private func differencesOfVersions(of package: ManagedPackage) async throws -> ManagedDifferences {
    var ids: [UUID] = []
    for text in versions { ids.append(try await package.version(text).id) }
    if ids.isEmpty, let last = try await package.versions().first { ids = [last.id] }
    guard let first = ids.first else {
      throw InputError(description: "'\(display(path))' has no versions to compare with.")
    }
    let second = ids.count > 1 ? ids[1] : nil
    return try await package.editing { try await $0.differences(from: first, to: second) }
  }

  private func print(_ found: ManagedDifferences) throws {
    var differences = found
    // The paths of the package, as in the output of all commands.
    for index in found.files.indices {
      differences.files[index].path = "AdditionalContent/\(found.files[index].path)"
    }
    if json {
      try printJSON(differences)
    } else if !quiet, !differences.isEmpty {
      var output = StandardOutput()
      output.write("\(differences)\n")
    }
    if !differences.isEmpty { throw ExitCode(ExitStatus.different) }
  }

  private func differencesOfVersions() async throws -> ([ShownDifference], lost: [String]) {
    try await PackageStore.reading(at: url(path)) { [self] store in
      let first: FileVersion?
      if let text = versions.first {
        first = try await store.version(text, inConflict: true)
      } else {
        first = try await store.versions().first
      }
      guard let first else {
        throw InputError(description: "'\(display(path))' has no versions to compare with.")
      }
      var second: FileVersion?
      if versions.count == 2 { second = try await store.version(versions[1], inConflict: true) }
      let (changes, lost) = try await store.differences(
        from: first.persistentIdentifier, to: second?.persistentIdentifier)
      return (try changes.map(ShownDifference.init), lost)
    }
  }

  private func print(_ shown: [ShownDifference], lost: [String]) throws {
    for child in lost where !quiet {
      StandardError.write(
        "docpkg: '\(display(child))' cannot be compared: another program changed it, and its earlier bytes are lost\n"
      )
    }
    if json {
      try printJSON(shown)
    } else if !quiet {
      var output = StandardOutput()
      for difference in shown { output.write(stat ? difference.line + "\n" : difference.text) }
    }
    if !shown.isEmpty || !lost.isEmpty { throw ExitCode(ExitStatus.different) }
  }
}
