public import ArgumentParser
import CommandSupport
import FilePackages
import FoundationEssentials
import Glibc
public import ImageNotes
import PackageArchive
import SystemPackage

struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import an archive as a package, or another program's document as ImageNotes.",
    discussion: """
      Reads a zip, or a tar with at most one of gzip, xz and Zstandard. The archive is a file, a pipe or, with -, \
      standard input. If one folder contains everything else, that folder becomes the package.

      The command does not trust an archive. It refuses an entry that leads out of the package, is no file, folder \
      or link, occurs twice in a zip, is damaged, or exceeds a limit. The error names the entry, and the command leaves \
      nothing on disk.

      A TextBundle, a folder with a text in Markdown, or an RTFD becomes an ImageNotes document, with its images and \
      attachments. So does an archive of one of these, if the new name ends in .imageNotes. --from names the format of \
      any other file or folder. The command says what it did not take over, and which images are missing; \
      Docs/Interchange.md has the rules.

      Files that macOS adds for itself (__MACOSX, ._*) are left out, and so are histories: that of the document, and \
      those of documents in it.

      Examples:
        docpkg import Trip.zip Trip.imageNotes
        docpkg import Trip.textpack Trip.imageNotes
        docpkg import Notes/Trip.md Trip.imageNotes
        curl https://example.org/Trip.zip | docpkg import - Trip.imageNotes
        docpkg import Trip.tar.zst Trip.imageNotes --max-bytes 500M

      \(ExitStatus.help)
      """)

  @Argument(path: "The archive or document, - for standard input.")
  var archive: String

  @Argument(path: "The path of the new package; nothing may exist there yet.")
  var path: String

  @Option(
    help: """
      The format of another program's document, instead of the one that its name shows: textbundle, textpack, markdown \
      or rtfd.
      """,
    completion: .list(InterchangeFormat.allCases.filter(\.isReadable).map(\.rawValue)))
  var from: InterchangeFormat?

  @Option(path: "A folder around a text in Markdown, whose files its images may be.")
  var root: String?

  @Option(
    help:
      "The most bytes that all files may have together, also as 500M, 1G or 1.5GB; usually 4G, of a TextPack 1G."
  )
  var maxBytes: ByteCount?

  @Flag(help: "Import histories too; only from archives that you trust.")
  var withHistory = false

  @Flag(help: "Accept names that differ only in case or in the encoding of accents.")
  var similarNames = false

  @Flag(help: "Read backslashes in names as separators of folders.")
  var backslashes = false

  @Option(path: "A file whose first line is the passphrase, instead of DOCPKG_PASSPHRASE.")
  var passphraseFile: String?

  @OptionGroup var writing: WritingOptions

  func validate() throws { try checkStandardInput(in: [archive, passphraseFile]) }

  func run() async throws {
    try refuseConvertible()
    if let format = interchangeFormat { return try await importDocument(format) }
    try refuseRoot()
    var options = try options()
    options.checkingChildren = ExpectedChildren(of: path).check
    let report: ImportReport
    do {
      report = try await asking(&options) { try await read($0) }
    } catch let mismatch as ExpectedChildren.Mismatch {
      return try await convert(mismatch, options)
    } catch let error as ArchiveError where error.code == .notAnArchive && isImageNotesName(path) {
      throw InputError(
        description: "\(error.text(path: FilePackageError.Wording.command.path)) "
          + "Name its format with --from, such as --from markdown for a text.")
    } catch let error as ArchiveError {
      throw error.withAdvice
    }
    if report.undecodedNames > 0 && !writing.quiet {
      let names = report.undecodedNames == 1 ? "One name is" : "\(report.undecodedNames) names are"
      StandardError.write(
        "docpkg: \(names) not UTF-8, and kept as bytes; 'unzip -O CP932' unpacks a zip with names of that code page.\n"
      )
    }
    let prefix = writing.dryRun ? "would import " : ""
    try writing.tell(report, "\(display(path)): \(prefix)\(report)")
  }

  /// Calls `body` with the options, and again with the passphrase of the user if the archive needs one.
  func asking<Value>(
    _ options: inout ImportOptions, _ body: (ImportOptions) async throws -> Value
  ) async throws -> Value {
    do {
      return try await body(options)
    } catch let error as ArchiveError where error.code == .passphrase {
      guard options.passphrase == nil, archive != "-", isatty(STDIN_FILENO) == 1 else { throw error }
      options.passphrase = try Passphrase.ask("Passphrase for \(display(archive)): ")
      return try await body(options)
    }
  }

  private func read(_ options: ImportOptions) async throws -> ImportReport {
    try await interruptible { [self] in
      archive == "-"
        ? try await PackageStore.importArchive(from: .standardInput, to: url(path), options: options)
        : try await PackageStore.importArchive(at: url(archive), to: url(path), options: options)
    }
  }

  func options() throws -> ImportOptions {
    var options = ImportOptions()
    if let maxBytes { options.limits.bytes = maxBytes.bytes }
    options.includesHistory = withHistory
    options.allowsSimilarNames = similarNames
    options.passphrase = try Passphrase.given(file: passphraseFile)
    options.readsBackslashes = backslashes
    options.isDryRun = writing.dryRun
    return options
  }
}

extension InterchangeFormat: ExpressibleByArgument {
  /// None, because `import` and `export` have different ones: their help names them.
  public static var allValueStrings: [String] { [] }
}
