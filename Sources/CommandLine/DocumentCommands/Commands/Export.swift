public import ArgumentParser
import CommandSupport
import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes
public import PackageArchive
import SystemPackage

struct Export: CoordinatedCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export a package to an archive, or to another program's format.",
    discussion: """
      The archive's name or --format gives the format: zip, tar, tar.gz, tar.xz, tar.zst or 7z. A file at the \
      archive's path is replaced in one step, after the new archive is complete. If the path is a folder and no \
      package, and --format is given, the archive gets the package's name in that folder, and replaces nothing. The path - writes to \
      standard output. All entries are in a folder with the package's name. tar.zst keeps names, \
      bytes, permissions, dates and links; Docs/Archives.md says what each format loses.

      A name that ends in .epub or .cbz makes a zip without that folder, and .textpack makes a zip. If the package has \
      a file 'mimetype' at its top, an .epub begins with it, as the standard demands.

      An ImageNotes document also becomes a TextBundle, a TextPack, a folder with Markdown, or HTML: --as says so, or a \
      name that ends in .textbundle, .textpack or .html. The text shows its images in their places, and the other ones \
      at its end. A folder is new; a file is replaced. The command says what the format does not hold; \
      Docs/Interchange.md has a table.

      The history is left out, unless --with-history is given, because it may contain children that were deleted from \
      the document. A folder of documents is exported with all documents and other files in it. Their histories are left out, too, or \
      with --with-history taken along. A document with a database has no history in an archive.

      With --update, the compressed bytes of unchanged files are copied from the earlier zip at the archive's path, if \
      there is one. The result is the same as that of a fresh export.

      A passphrase (AES-256, zip only) comes from --passphrase-file or DOCPKG_PASSPHRASE. If one of them has a \
      passphrase, the archive is encrypted. With --encrypt, the command asks for a passphrase if neither has one. \
      Names, sizes and dates stay readable.

      Examples:
        docpkg export Trip.imageNotes Trip.zip
        docpkg export Book Book.epub
        docpkg export Trip.imageNotes Trip.textpack
        docpkg export Trip.imageNotes Site/Trip --as markdown
        docpkg export Trip.imageNotes - --format tar | ssh host 'cat > Trip.tar'
        SOURCE_DATE_EPOCH=0 docpkg export Trip.imageNotes Trip.tar.gz --reproducible

      \(ExitStatus.help)
      """)

  @Argument(path: "The package, or a folder of documents.")
  var path: String

  @Argument(path: "The archive, or a folder for it; - for standard output.")
  var destination: String?

  @Argument(help: .private)
  var others: [String] = []

  @Option(name: .shortAndLong, path: "The archive, in place of the second argument.")
  var output: String?

  @Option(help: "The format, if the archive's name does not give it.")
  var format: ArchiveFormat?

  @Option(
    help: "The format of another program: textbundle, textpack, markdown or html.",
    completion: .list(InterchangeFormat.writable.map(\.rawValue)))
  var `as`: InterchangeFormat?

  @Option(help: "The compression level: 0 to 9, for tar.zst 1 to 22.")
  var level: Int?

  @Flag(
    help: ArgumentHelp(
      "Make the same bytes from the same names and contents.",
      discussion: """
        Every date is that of SOURCE_DATE_EPOCH, or 1980-01-01; permissions are 644 or 755; extended attributes are left \
        out.
        """))
  var reproducible = false

  @Flag(help: "Include the hidden folder, with the history.")
  var withHistory = false

  @Flag(help: "Reuse compressed bytes of the archive that exists already.")
  var update = false

  @Flag(help: "Encrypt the zip (default when a passphrase is given).")
  var encrypt = false

  @Option(path: "A file whose first line is the passphrase, instead of DOCPKG_PASSPHRASE.")
  var passphraseFile: String?

  @Flag(name: .shortAndLong, help: "Replace an archive that is read-only.")
  var force = false

  @OptionGroup var writing: WritingOptions

  var archive: String { output ?? destination ?? "" }

  private var isToStandardOutput: Bool { archive == "-" }

  func validate() throws {
    try checkOperands()
    if let format = interchangeFormat { return try check(format) }
    if isToStandardOutput && format == nil { throw ValidationError("Give --format for standard output.") }
    if isToStandardOutput && update { throw ValidationError("Only a file can be updated.") }
    if update && encrypts { throw ValidationError("An encrypted archive cannot be updated\(wayOut).") }
    guard let format = format ?? ArchiveFormat(filename: target) else {
      throw ValidationError("'\(display(archive))' has no extension of a known format: give --format.")
    }
    if encrypts && format != .zip {
      throw ValidationError("Only a zip can be encrypted, not \(format.rawValue)\(wayOut).")
    }
    try check(format)
    if isToStandardOutput && !writing.dryRun && isatty(STDOUT_FILENO) == 1 {
      throw ValidationError("An archive is not written to a terminal.")
    }
  }

  private func checkOperands() throws {
    if !others.isEmpty || destination != nil && output != nil {
      throw ValidationError(
        "An archive has one package: give one package and one archive. "
          + "A folder with several packages is exported as a whole.")
    }
    if archive.isEmpty { throw ValidationError("Give the archive, such as \(display(path)).zip.") }
  }

  /// The archive's path: in an existing folder, or as the user typed it.
  private var target: String {
    guard let format, !isToStandardOutput else { return archive }
    return Destination.path(archive) { Destination.name(of: path).map { "\($0.stem).\(format.rawValue)" } }
  }

  var encrypts: Bool { encrypt || passphraseFile != nil || Passphrase.isInEnvironment }

  /// The way out if only the environment asks for encryption.
  var wayOut: String {
    encrypt || passphraseFile != nil ? "" : "; DOCPKG_PASSPHRASE is set: unset it"
  }

  /// - Throws: a `ValidationError` for options that the format does not support.
  private func check(_ format: ArchiveFormat) throws {
    if update && format != .zip {
      throw ValidationError("Only a zip can be updated, not \(format.rawValue).")
    }
    guard let level else { return }
    if format == .tar { throw ValidationError("tar does not compress: it has no --level.") }
    let levels = format == .tarZstd ? 1...22 : 0...9
    if !levels.contains(level) {
      throw ValidationError(
        "--level has to be \(levels.lowerBound) to \(levels.upperBound) for \(format.rawValue).")
    }
  }

  func run() async throws {
    if isToStandardOutput { try StandardOutput.requireOpen() }
    if let format = interchangeFormat { return try await exportDocument(format) }
    let options = try options(for: target)
    // An export to a pipe leaves nothing to clean up.
    let report =
      isToStandardOutput
      ? try await export(options) : try await interruptible { [self] in try await export(options) }
    guard let report, !writing.quiet else { return }
    let place = display(isToStandardOutput ? path : target)
    let line = "\(place): \(report)"
    if !isToStandardOutput { return try writing.tell(report, line) }
    if isatty(STDERR_FILENO) == 1 { StandardError.write(line + "\n") }
  }

  private func export(_ options: ExportOptions) async throws -> ExportReport? {
    try await document(at: path).withSnapshot { snapshot in
      if writing.dryRun {
        let paths = try await snapshot.exportedPaths(
          as: format ?? ArchiveFormat(filename: target) ?? .zip, options: options)
        try writing.report(paths.map { PlannedStep(.add, $0) })
        return nil
      }
      if isToStandardOutput {
        return try await snapshot.export(
          to: .standardOutput, as: format ?? .zip, options: options)
      }
      let target = target
      let earlier = update && nodeStatus(target, following: true) != nil ? url(target) : nil
      return try await snapshot.export(
        to: url(target), as: format, options: options, updating: earlier)
    }
  }

  /// Returns the options. A name that the command made in a folder replaces nothing, except with `--update`.
  ///
  /// - Throws: `InputError` if something has that name.
  func options(for target: String) throws -> ExportOptions {
    var options = ExportOptions()
    if force { options.replacing = .anything }
    if target != archive, !update {
      options.replacing = .nothing
      if nodeStatus(target, following: false) != nil {
        throw InputError(
          description:
            "'\(display(target))' exists already. To replace it, give this path and not its folder.")
      }
    }
    options.level = level
    options.includesHistory = withHistory
    if ArchiveFormat.isFlat(filename: target) { options.topFolder = .none }
    if reproducible { options.uniformDate = try sourceDate ?? ExportOptions.earliestDate }
    if encrypts {
      options.passphrase = try Passphrase.new(file: passphraseFile)
    }
    return options
  }

  private var sourceDate: Date? {
    get throws {
      guard let text = getenv("SOURCE_DATE_EPOCH").map({ String(cString: $0) }) else { return nil }
      guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else {
        throw InputError(
          description: "SOURCE_DATE_EPOCH is '\(display(text))', which is not a number of seconds.")
      }
      return Date(timeIntervalSince1970: Double(seconds))
    }
  }
}

extension ArchiveFormat: ExpressibleByArgument {
  /// Finds the format of that name; nil if there is none.
  public init?(argument: String) {
    self.init(named: argument)
  }
}
