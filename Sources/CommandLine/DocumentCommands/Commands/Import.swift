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

  @Option(help: "The format, instead of the one that the first bytes show.")
  var format: ArchiveFormat?

  @Option(help: "The format of another program's document, instead of the one that its name shows.")
  var from: InterchangeFormat?

  @Option(path: "A folder around a text in Markdown, whose files its images may be.")
  var root: String?

  @Option(help: "The code page of names that are not marked as UTF-8, such as CP437, CP932 or EUC-KR.")
  var charset: String?

  @Option(
    help:
      "The most bytes that all files may have together, also as 500M, 1G or 1.5GB; usually 4G, of a TextPack 1G."
  )
  var maxBytes: ByteCount?

  @Option(help: "The most entries that the archive may have.")
  var maxEntries: Int = ImportLimits().entries

  @Option(help: "The largest ratio of the files' bytes to the archive's bytes; not checked below 16 MiB.")
  var maxRatio: Int = ImportLimits().ratio

  @Option(help: "The most folders that an entry may be in.")
  var maxDepth: Int = ImportLimits().depth

  @Option(help: "The most bytes of memory for the dictionary of LZMA or xz.")
  var maxDictionary = ByteCount(ImportLimits().dictionaryBytes)

  @Flag(help: "If one folder contains everything else, import it as a child.")
  var keepTopFolder = false

  @Flag(help: "Import __MACOSX and ._* too.")
  var appleDouble = false

  @Flag(help: "Import histories too; only from archives that you trust.")
  var withHistory = false

  @Flag(help: "Import links that lead out of the package too.")
  var outsideLinks = false

  @Flag(help: "Accept names that differ only in case or in the encoding of accents.")
  var similarNames = false

  @Flag(help: "Accept names with control characters.")
  var controlCharacters = false

  @Flag(help: "Accept paths that begin with a drive's letter, such as C:.")
  var driveLetters = false

  @Flag(help: "Read backslashes in names as separators of folders.")
  var backslashes = false

  @Option(path: "A file whose first line is the passphrase, instead of DOCPKG_PASSPHRASE.")
  var passphraseFile: String?

  @OptionGroup var writing: WritingOptions

  func validate() throws {
    guard maxEntries > 0, maxRatio > 0, maxDepth > 0 else {
      throw ValidationError("--max-entries, --max-ratio and --max-depth have to be 1 or more.")
    }
    if from != nil && format != nil { throw ValidationError("--from and --format exclude each other.") }
  }

  func run() async throws {
    try refuseConvertible()
    if let format = interchangeFormat { return try await importDocument(format) }
    var options = try options()
    options.checkingChildren = ExpectedChildren(of: path).check
    let shown = Throughput()
    let report: ImportReport
    do {
      report = try await read(options, shown)
    } catch let error as ArchiveError where error.code == .passphrase && canAsk(options) {
      shown.clear()
      options.passphrase = try Passphrase.ask("Passphrase for \(display(archive)): ")
      report = try await read(options, shown)
    } catch let mismatch as ExpectedChildren.Mismatch {
      shown.clear()
      return try await convert(mismatch)
    } catch let error as ArchiveError where error.code == .notAnArchive && isImageNotesName(path) {
      shown.clear()
      throw InputError(
        description: "\(error.text(path: FilePackageError.Wording.command.path)) "
          + "Name its format with --from, such as --from markdown for a text.")
    } catch let error as ArchiveError {
      shown.clear()
      throw error.withAdvice
    }
    shown.clear()
    if report.undecodedNames > 0 && charset == nil && !writing.quiet {
      let names = report.undecodedNames == 1 ? "One name is" : "\(report.undecodedNames) names are"
      StandardError.write(
        "docpkg: \(names) not UTF-8; give the code page with --charset, such as CP437 or CP932.\n")
    }
    let prefix = writing.dryRun ? "would import " : ""
    try writing.tell(report, "\(display(path)): \(prefix)\(report)\(shown.rate(of: report.bytes))")
  }

  private func canAsk(_ options: ImportOptions) -> Bool {
    options.passphrase == nil && archive != "-" && isatty(STDIN_FILENO) == 1
  }

  private func read(_ options: ImportOptions, _ shown: Throughput) async throws -> ImportReport {
    try await interruptible { [self] in
      archive == "-"
        ? try await PackageStore.importArchive(
          from: .standardInput, to: url(path), options: options, progress: shown.show)
        : try await PackageStore.importArchive(
          at: url(archive), to: url(path), options: options, progress: shown.show)
    }
  }

  func options() throws -> ImportOptions {
    var options = ImportOptions()
    options.format = format
    options.charset = charset
    if let maxBytes { options.limits.bytes = maxBytes.bytes }
    options.limits.entries = maxEntries
    options.limits.ratio = maxRatio
    options.limits.depth = maxDepth
    options.limits.dictionaryBytes = maxDictionary.bytes
    if keepTopFolder { options.topFolder = .isKept }
    options.includesAppleDouble = appleDouble
    options.includesHistory = withHistory
    options.allowsLinksOutside = outsideLinks
    options.allowsSimilarNames = similarNames
    options.allowsControlCharacters = controlCharacters
    options.allowsDriveLetters = driveLetters
    options.passphrase = try Passphrase.given(file: passphraseFile)
    options.readsBackslashes = backslashes
    options.isDryRun = writing.dryRun
    return options
  }
}

extension InterchangeFormat: ExpressibleByArgument {}
