import ArgumentParser
import CommandSupport
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes
import PackageArchive
import SystemPackage

extension Export {
  /// The format of another program in which the document is written; nil for an archive of the package.
  var interchangeFormat: InterchangeFormat? {
    if let format = `as` { return format }
    guard format == nil, archive != "-" else { return nil }
    let named = InterchangeFormat(filename: url(archive).lastPathComponent)
    // A TextPack of another package than ImageNotes is an archive of that package.
    if named == .textPack {
      return isImageNotesName(path) ? named : nil
    }
    return named
  }

  /// - Throws: a `ValidationError` for options and places that the format does not support.
  func check(_ format: InterchangeFormat) throws {
    guard format.isWritable else { throw ValidationError("\(format.name) can only be read.") }
    if self.format != nil { throw ValidationError("--as and --format exclude each other.") }
    if update || withHistory || encrypt || passphraseFile != nil {
      throw ValidationError(
        "\(format.name) has no --update, --with-history, --encrypt and --passphrase-file.")
    }
    if encrypts { throw ValidationError("\(format.name) cannot be encrypted\(wayOut).") }
    if format != .textPack && (level != nil || reproducible || force) {
      throw ValidationError("\(format.name) has no --level, --reproducible and --force.")
    }
    guard format.isDirectory, format != .textPack else { return }
    if archive == "-" {
      throw ValidationError("\(format.name) is a folder, which standard output cannot hold.")
    }
    if format != .textBundle, InterchangeFormat(filename: url(archive).lastPathComponent) != nil {
      throw ValidationError(
        "\(format.name) is a folder: give --as \(format.rawValue) and a name without the extension of a file."
      )
    }
  }

  /// The path of the document in the other format: in an existing folder, or as the user typed it.
  private func target(_ format: InterchangeFormat) -> String {
    guard archive != "-" else { return archive }
    return Destination.path(archive) {
      Destination.name(of: path).map { $0.stem + (format.filenameExtension.map { ".\($0)" } ?? "") }
    }
  }

  /// Writes the document in another program's format.
  func exportDocument(_ format: InterchangeFormat) async throws {
    let target = target(format)
    let options = try options(for: target)
    if absoluteURL(target).path.hasPrefix(absoluteURL(path).path + "/") {
      throw InputError(description: "'\(display(target))' would be in the package.")
    }
    let (told, remarks) = try await PackageStore.reading(at: url(path)) { store in
      let (document, readRemarks) = try await document(in: store)
      let (file, writeRemarks) = try format.write(document, named: target == "-" ? path : target)
      let remarks = readRemarks + writeRemarks
      let (paths, bytes) = try files(of: file, at: target)
      if !writing.dryRun { try await write(file, format, to: target, options) }
      return (
        InterchangeReport(target, format, document, written: paths, bytesWritten: bytes, remarks), remarks
      )
    }
    if writing.quiet { return }
    InterchangeReport.tell(remarks)
    if archive == "-" && !writing.dryRun { return }
    if writing.dryRun {
      let plan = told.written.map { PlannedStep(.write, $0) }
      let lines = plan.map(\.description).joined(separator: "\n")
      let report = InterchangePlan(path: target, plan: plan, leftOut: told.leftOut, remarks: told.remarks)
      return try writing.tell(report, lines)
    }
    try writing.tell(told, told.line)
  }

  /// Reads the package, which may also be of a format that can be read.
  private func document(
    in store: PackageStore
  ) async throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    let tree = await store.tree
    if let format = InterchangeFormat(filename: url(path).lastPathComponent),
      format == .textBundle || format == .rtfd
    {
      return try format.read(tree, named: path)
    }
    _ = try await ImageNotes.read(store, path)  // It checks, as other commands: type or classic shape.
    return (try InterchangeDocument(package: tree), [])
  }

  private func files(of file: FileWrapper, at target: String) throws -> (paths: [String], bytes: UInt64) {
    if file.isRegularFile { return ([target], file.regularFileSize ?? 0) }
    var (paths, bytes): ([String], UInt64) = ([], 0)
    for difference in try TreeChanges(everythingIn: file).paths() {
      guard let child = try file.descendant(at: difference), child.isRegularFile else { continue }
      paths.append(difference)
      bytes += child.regularFileSize ?? 0
    }
    return (paths, bytes)
  }

  private func write(
    _ file: FileWrapper, _ format: InterchangeFormat, to target: String, _ options: ExportOptions
  ) async throws {
    if format == .textPack {
      var options = options
      let stem = Destination.name(of: target == "-" ? path : target)?.stem ?? "Text"
      options.topFolder = .named("\(stem).textbundle")
      let snapshot = file.snapshot()
      if target == "-" {
        try await snapshot.export(to: .standardOutput, as: .zip, options: options)
      } else {
        try await interruptible { [options] in
          _ = try await snapshot.export(to: url(target), as: .zip, options: options)  // Not shown.
        }
      }
    } else if target == "-" {
      try file.contents().withUnsafeBytes(StandardOutput.write)
    } else {
      let place = try FilePath(of: url(target), for: .save)
      let replacesFile = options.replacing != .nothing
      try await interruptible {
        try file.write(to: place, options: [], original: nil, replacesFile: replacesFile, on: PosixDisk())
      }
    }
  }
}

/// What an export would write, and what it would leave out.
private struct InterchangePlan: Encodable {
  var path: String
  var plan: [PlannedStep]
  var leftOut: [String]
  var remarks: [String]
}

extension InterchangeFormat {
  /// The extension of a document's name in this format; nil for a folder without one.
  fileprivate var filenameExtension: String? {
    switch self {
    case .textBundle, .textPack, .html, .rtfd: rawValue
    case .markdown: nil
    }
  }
}
