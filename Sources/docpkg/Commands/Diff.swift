import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes
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
    help: "The identifier of a version or conflict version, or its first digits; up to two.")
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

/// A difference in the output.
private struct ShownDifference: Encodable, Sendable {
  enum Change: String, Encodable { case added, removed, changed, mode }

  var path: String
  var change: Change
  /// The old and the new state in words.
  var old: String?
  var new: String?
  var linesAdded: Int?
  var linesRemoved: Int?
  private var lines: [String]

  private enum CodingKeys: String, CodingKey {
    case path, change, old, new, linesAdded, linesRemoved
  }

  init(_ difference: VersionDifference) throws {
    path = difference.path
    change = difference.old == nil ? .added : difference.new == nil ? .removed : .changed
    lines = []
    (old, new) = (try difference.old.map(Self.words), try difference.new.map(Self.words))
    if let old = difference.old, let new = difference.new, try Self.hasSameContent(old, new) {
      change = .mode
      (self.old, self.new) = (Self.mode(old), Self.mode(new))
      return
    }
    let (before, after) = (try Self.bytes(difference.old), try Self.bytes(difference.new))
    guard difference.old?.isRegularFile ?? true, difference.new?.isRegularFile ?? true,
      let text = UnifiedDifference(from: before ?? [], to: after ?? [])
    else { return }
    (linesAdded, linesRemoved, lines) = (text.added, text.removed, text.lines)
  }

  private static func hasSameContent(_ old: FileWrapper, _ new: FileWrapper) throws -> Bool {
    if old.isDirectory && new.isDirectory { return true }
    guard old.isRegularFile, new.isRegularFile, old.permissions != new.permissions else { return false }
    return try old.contents() == new.contents()
  }

  /// The largest file that is compared by line.
  private static let maximumTextSize: UInt64 = 16 << 20

  private static func bytes(_ node: FileWrapper?) throws -> [UInt8]? {
    guard let node, node.isRegularFile else { return nil }
    // A file beyond that size counts as binary.
    if (node.regularFileSize ?? 0) > maximumTextSize { return [0] }
    return Array(try node.contents())
  }

  private static func mode(_ node: FileWrapper) -> String { String(node.permissions, radix: 8) }

  private static func words(_ node: FileWrapper) throws -> String {
    if node.isDirectory { return "folder" }
    if node.isSymbolicLink {
      return "link to \(display(node.symbolicLinkDestinationURL?.relativePath ?? ""))"
    }
    let size = SaveReport.bytes(node.regularFileSize ?? 0)
    guard let header = try? ImageHeader(Array(try node.contents())) else { return size }
    return "\(header.format.rawValue), \(header.displayWidth) × \(header.displayHeight), \(size)"
  }

  private var place: String { display(path.isEmpty ? "." : path) }

  /// The difference in one line.
  var line: String {
    let words =
      switch change {
      case .added: "added, \(new ?? "")"
      case .removed: "removed, \(old ?? "")"
      case .mode: "mode \(old ?? "") → \(new ?? "")"
      case .changed where linesAdded != nil: "+\(linesAdded ?? 0) -\(linesRemoved ?? 0)"
      case .changed: "\(old ?? "") → \(new ?? "")"
      }
    return "\(place): \(words)"
  }

  /// The whole difference.
  var text: String {
    guard !lines.isEmpty else { return line + "\n" }
    let (before, after) = (
      change == .added ? "/dev/null" : "a/\(place)", change == .removed ? "/dev/null" : "b/\(place)"
    )
    return "--- \(before)\n+++ \(after)\n" + lines.joined()
  }
}
