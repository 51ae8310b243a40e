import DurableIO
import FilePackages
import SystemPackage

/// One reading of an archive from its beginning to its end: each entry is checked, and what is let through becomes
/// part of a package.
struct ImportRun {
  let options: ImportOptions
  let progress: ArchiveProgress.Handler?
  let cancellation: Cancellation
  private var checker: EntryChecker
  private(set) var report: ImportReport
  /// The entry of the folder that may be the package, rather than what is in it.
  private var hasTopEntry = false
  private let source: any EntrySource
  private let input: ArchiveInput

  /// Recognises the format and reads as much as tells whether it is one.
  init(
    _ input: ArchiveInput, _ options: ImportOptions, _ cancellation: Cancellation,
    _ progress: ArchiveProgress.Handler? = nil
  ) throws {
    let format = try options.format ?? ArchiveFormat(recognizing: input.peek(ArchiveFormat.recognitionSize))
    self.options = options
    self.progress = progress
    self.cancellation = cancellation
    checker = EntryChecker(options)
    report = ImportReport(format: format)
    switch format {
    case .zip, .sevenZip, .iso9660:
      // Their directories are at the end, or anywhere.
      self.input = try input.seekable(limit: options.limits.bytes)
    default: self.input = input
    }
    source = try Self.source(format, self.input, options)
  }

  static func source(
    _ format: ArchiveFormat, _ input: ArchiveInput, _ options: ImportOptions
  ) throws -> any EntrySource {
    switch format {
    case .zip: try ZipSource(input, options)
    case .sevenZip, .cpio, .iso9660: try PlainSource(format, input, options)
    case .tar: try TarSource(PositionedInput(input))
    case .tarGzip: try TarSource(GzipStream(input, limits: options.limits))
    default: try TarSource(DecompressedStream(format, input, limits: options.limits))
    }
  }

  /// Whether the archive has an entry for its top, which is then the package.
  private var isTopNamed = false

  /// The folder that everything is in, where it becomes the package.
  var packageFolder: FileName? {
    options.topFolder == .becomesPackage && !isTopNamed && !source.isFlat ? checker.commonFolder : nil
  }

  /// Reads everything.
  ///
  /// - Throws: a finding for what is refused or damaged; what the sink throws.
  mutating func run(into sink: any ImportSink) throws {
    if let zip = source as? ZipSource { try checkAhead(zip) }
    var done = ArchiveProgress()
    while let entry = try source.next() {
      try cancellation.check()
      if entry.isEncrypted && options.passphrase == nil {
        throw ArchiveError.Finding(
          .passphrase, entry: entry.name, "it is encrypted, which needs a passphrase")
      }
      try take(entry, into: sink)
      done.entries += 1
      done.bytes = checker.bytes
      progress?(done)
    }
    report.bytes = checker.bytes
    report.archiveBytes = input.archiveBytes
    if packageFolder != nil && hasTopEntry { report.entries -= 1 }
    if checker.count == 0 { throw ArchiveError.Finding(.empty, "there is nothing in it") }
  }

  /// Sees from a zip's directory, before a byte of it is read, whether all may be taken.
  private func checkAhead(_ zip: ZipSource) throws {
    var checker = EntryChecker(options)
    for entry in zip.entries {
      let entry = ArchiveEntry(entry)
      // A link's destination is among its bytes.
      if case .link = entry.kind { continue }
      _ = try checker.check(entry)
      try checker.add(bytes: entry.size ?? 0, of: entry, archiveBytes: input.archiveBytes)
    }
  }

  private mutating func take(_ entry: ArchiveEntry, into sink: any ImportSink) throws {
    switch try checker.check(entry) {
    case .isTop:
      isTopNamed = true
      return
    case .leaveOut:
      report.leftOut.append(FileName(bytes: entry.name).string)
      // Its bytes are read all the same, so that what is damaged or too much is found.
      if entry.kind == .file { try read(entry) { _, _ in } }
      return
    case .copy(let path, let original):
      try checker.add(bytes: sink.size(of: original), of: entry, archiveBytes: input.archiveBytes)
      try sink.addCopy(path, of: original, entry)
    case .take(let path):
      switch entry.kind {
      case .directory:
        if path.names.count == 1 { hasTopEntry = true }
        try sink.addFolder(path, entry)
      case .link(let target): try sink.addLink(path, to: target, entry)
      default:
        // A document has no use for programs that run as somebody else: no sink takes more than the lower nine bits.
        if entry.mode & 0o6000 != 0 { report.privileged.append(path.string) }
        try sink.addFile(path, entry) { write in try read(entry, write) }
      }
    }
    report.entries += 1
  }

  /// Reads an entry's bytes, each piece counted before it is given on.
  private mutating func read(_ entry: ArchiveEntry, _ body: (UnsafeRawBufferPointer, UInt64) throws -> Void)
    throws
  {
    var end: UInt64 = 0
    // What is declared beyond the bytes that come is a hole, and counts like them.
    var checker = self.checker
    try source.forEachBlock { bytes, offset in
      try cancellation.check()
      let (next, overflow) = offset.addingReportingOverflow(UInt64(bytes.count))
      guard !overflow, offset >= end else {
        throw ArchiveError.Finding(.damaged, entry: entry.name, "its pieces overlap")
      }
      if let size = entry.size, next > size {
        throw ArchiveError.Finding(.damaged, entry: entry.name, "it lies about its size")
      }
      try checker.add(bytes: next - end, of: entry, archiveBytes: input.archiveBytes)
      end = next
      try body(bytes, offset)
    }
    if let size = entry.size, size > end {
      try checker.add(bytes: size - end, of: entry, archiveBytes: input.archiveBytes)
    }
    self.checker = checker
  }
}
