import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes
import PackageArchive
import SystemPackage

extension Import {
  /// The most bytes of an archive's files that this command holds in memory, unless `--max-bytes` says otherwise.
  static let memoryBytes: UInt64 = 1 << 30

  /// The format of another program that the source has; nil for an archive of a package.
  var interchangeFormat: InterchangeFormat? {
    if let from { return from }
    if archive == "-" { return nil }
    let named = InterchangeFormat(filename: url(archive).lastPathComponent)
    if isDirectory(archive) { return named ?? .markdown }
    switch named {
    // A TextPack is also an archive, from which a TextBundle can be made.
    case .textPack, .textBundle, .rtfd:
      return isImageNotesName(path) ? named : nil
    case .markdown, .html, nil: return named
    }
  }

  /// - Throws: `InputError` for a page of HTML and for a backup, which another program converts first.
  func refuseConvertible() throws {
    let url = url(archive)
    if (from ?? InterchangeFormat(filename: url.lastPathComponent)) == .html {
      throw InputError(
        description: "'\(display(archive))' is a page of HTML, which can only be written. "
          + "Convert it with 'pandoc page.html -o page.md', and import the result.")
    }
    if from == nil, ["bear2bk", "bearbk"].contains(url.pathExtension.lowercased()) {
      throw InputError(
        description: "'\(display(archive))' is a zip of many notes. "
          + "Unpack it with 'unzip', and import each TextBundle in it.")
    }
  }

  /// Makes an ImageNotes document of another program's document.
  ///
  /// - Parameter options: those that have opened the archive before.
  func importDocument(_ format: InterchangeFormat, _ options: ImportOptions? = nil) async throws {
    try checkImageNotesExtension(of: path)
    let (document, remarks) = try await read(format, options)
    let tree = try document.packageTree()
    if writing.dryRun {
      let plan = try PackageStore.plan(creating: tree, at: url(path), contentType: .imageNotes)
      if !writing.quiet { InterchangeReport.tell(remarks) }
      return try writing.report(plan.listed, making: path)
    }
    let report = try await interruptible { [path] in
      try await PackageStore.create(tree, at: url(path), contentType: .imageNotes).report
    }
    if !writing.quiet { InterchangeReport.tell(remarks) }
    warn(report.warnings)
    let told = InterchangeReport(
      path, format, document, written: report.written, bytesWritten: report.bytesWritten, remarks)
    try writing.tell(told, told.line)
  }

  /// Converts the document in an archive that is of another kind than the new name says.
  ///
  /// - Throws: `InputError` if that is not possible.
  func convert(_ mismatch: ExpectedChildren.Mismatch, _ options: ImportOptions) async throws {
    if let format = mismatch.format, isImageNotesName(path), archive != "-" {
      return try await importDocument(format, options)
    }
    let names = mismatch.names.map { "'\(display($0))'" }.joined(separator: ", ")
    let found = mismatch.format.map { "a document in \($0.name)" } ?? "no such document"
    let advice =
      isImageNotesName(path) && mismatch.format != nil
      ? "Save the archive as a file, and import that." : "Choose a name with another extension."
    throw InputError(
      description: "'\(display(path))' cannot be made: the archive has \(found) (\(names)). \(advice)")
  }

  private func read(
    _ format: InterchangeFormat, _ given: ImportOptions?
  ) async throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    if archive != "-" && isDirectory(archive) {
      try refuseRoot()
      return try format.read(FileWrapper(url: url(archive)), named: archive)
    }
    if archive == "-" && format == .markdown {
      try refuseRoot()
      let tree = FileWrapper(directoryWithFileWrappers: [:])
      try tree.setDescendant(contents(ofFile: archive), at: "Text.md")
      return try format.read(tree, named: "standard input", textName: "Text.md")
    }
    if format == .markdown && ArchiveFormat(recognizingFileAt: url(archive)) == nil {
      // The text names its images by their place beside it.
      let text = absoluteURL(archive)
      let folder = root.map { absoluteURL($0) } ?? text.deletingLastPathComponent()
      let prefix = folder.path == "/" ? "/" : folder.path + "/"
      guard text.path.hasPrefix(prefix) else {
        throw InputError(description: "'\(display(archive))' is not in the folder '\(display(root ?? ""))'.")
      }
      return try format.read(
        FileWrapper(url: folder), named: archive, textName: String(text.path.dropFirst(prefix.count)))
    }
    try refuseRoot()
    var options = try given ?? options()
    options.checkingChildren = nil
    if maxBytes == nil { options.limits.bytes = Self.memoryBytes }
    do {
      let tree = try await asking(&options) { options in
        try await interruptible { [archive] in
          archive == "-"
            ? try await FileWrapper.importArchive(from: .standardInput, options: options)
            : try await FileWrapper.importArchive(at: url(archive), options: options)
        }
      }
      return try format.read(tree, named: archive)
    } catch let error as ArchiveError {
      throw error.withAdvice
    }
  }

  /// - Throws: `InputError` if `--root` is given, for a source that has its images in itself.
  func refuseRoot() throws {
    if root == nil { return }
    throw InputError(
      description: "'--root' is for the file of a Markdown text, and '\(display(archive))' is none. "
        + "Leave the option out.")
  }
}
