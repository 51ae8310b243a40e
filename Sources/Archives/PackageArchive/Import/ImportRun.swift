import DurableIO
import FilePackages
import SystemPackage

/// One pass over an archive from its beginning to its end, which checks each entry and gives it to a sink.
struct ImportRun {
  let options: ImportOptions
  let progress: ArchiveProgress.Handler?
  let cancellation: Cancellation
  private var checker: EntryChecker
  private var tally: EntryTally
  private(set) var report: ImportReport
  /// Counted entries that are not in the package: entries for the archive's top, and those that later ones replace.
  private var replaced = EntryTally.Sum()
  /// The hidden folders that are left out, as paths in the archive.
  private var hidden: [PackagePath] = []
  /// The names at the top of the archive, and those within each of them.
  private var names: [FileName: Set<FileName>] = [:]
  private let decoder: NameDecoder?
  private let source: any EntrySource
  private let input: ArchiveInput

  /// Recognises the format, and reads enough to tell whether it is the right one.
  init(
    _ input: ArchiveInput, _ options: ImportOptions, _ cancellation: Cancellation,
    _ progress: ArchiveProgress.Handler? = nil
  ) throws {
    let format = try ArchiveFormat(recognizing: input.peek(ArchiveFormat.recognitionSize))
    self.options = options
    self.progress = progress
    self.cancellation = cancellation
    input.limit = options.limits.streamBytes
    tally = EntryTally(options.limits)
    decoder = try options.charset.map { try NameDecoder($0) }
    report = ImportReport(format: format)
    // A zip has its directory at the end.
    self.input = format == .zip ? try input.seekable(limit: options.limits.bytes) : input
    source = try Self.source(format, self.input, options)
    checker = EntryChecker(options, laterReplaces: format.isTar, isOwn: source.isOwn)
  }

  private static func source(
    _ format: ArchiveFormat, _ input: ArchiveInput, _ options: ImportOptions
  ) throws -> any EntrySource {
    let decompressor: any Decompressor
    switch format {
    case .zip: return try ZipSource(input, options)
    case .sevenZip: throw ArchiveFormat.unread("7z", "7z x FILE")
    case .tar: return try TarSource(input)
    case .tarGzip: decompressor = try GzipDecompressor()
    case .tarXZ: decompressor = try XZDecompressor(options.limits)
    case .tarZstd: decompressor = try ZstandardDecompressor()
    }
    return try TarSource(DecompressedStream(decompressor, input, limits: options.limits))
  }

  /// Whether the archive has an entry for its top, which is then the package.
  private var isTopNamed = false

  /// The folder around all entries if it becomes the package.
  var packageFolder: FileName? {
    options.topFolder == .becomesPackage && !isTopNamed && !source.isFlat ? checker.commonFolder : nil
  }

  /// Reads everything.
  ///
  /// - Throws: a finding for refused entries and damage; the errors of the sink.
  mutating func run(into sink: any ImportSink) throws {
    if let zip = source as? ZipSource { try checkAhead(zip) }
    var done = ArchiveProgress()
    while var entry = try source.next() {
      try cancellation.check()
      try prepare(&entry)
      if String(validating: entry.name, as: UTF8.self) == nil { report.undecodedNames += 1 }
      if entry.isEncrypted && options.passphrase == nil {
        throw ArchiveError.Finding(
          .passphrase, entry: entry.name, "it is encrypted, and needs a passphrase")
      }
      try take(entry, into: sink)
      done.entries += 1
      done.bytes = tally.bytesRead
      progress?(done)
    }
    if packageFolder != nil {
      for path in checker.temporaryFiles.sorted() {
        try tally.leaveOut(bytes: sink.size(of: path))
        report.leftOut.append(path.string)
      }
    }
    try finishReport()
    let children = packageFolder.map { names[$0] ?? [] } ?? Set(names.keys)
    try options.checkingChildren?(Set(children.map(\.string)))
  }

  /// Gives an entry the name by which the options mean it.
  private func prepare(_ entry: inout ArchiveEntry) throws {
    try decoder?.decode(&entry)
    if options.readsBackslashes { entry.separateAtBackslashes() }
  }

  private mutating func finishReport() throws {
    let isDouble = !report.leftOut.isEmpty
    report.leftOut += hidden.map { path in
      path.names.first == packageFolder ? PackagePath(Array(path.names.dropFirst())).string : path.string
    }
    report.leftOutEntries = tally.leftOut.entries
    report.leftOutBytes = tally.leftOut.bytes
    report.entries = tally.taken.entries - replaced.entries
    report.bytes = tally.taken.bytes - replaced.bytes
    report.archiveBytes = input.archiveBytes
    if packageFolder != nil { report.entries -= 1 }
    guard checker.isEmpty, !isTopNamed else { return }
    guard tally.leftOut.entries > 0 else { throw ArchiveError.Finding(.empty, "it has no entries") }
    throw ArchiveError.Finding(
      .empty, "an import leaves all its entries out: \(firstNames(report.leftOut))",
      unless: isDouble ? .appleDouble : .history)
  }

  /// Checks the directory of a zip against the rules and limits before it reads any contents.
  private func checkAhead(_ zip: ZipSource) throws {
    var (checker, tally) = (self.checker, self.tally)
    for entry in zip.scan.entries {
      var entry = ArchiveEntry(entry)
      try prepare(&entry)
      // The destination of a link is among its bytes, which are not read yet.
      if case .link = entry.kind { continue }
      var (entries, share): (Int, EntryTally.Share) = (1, \.leftOut)
      if case .take(let taken) = try checker.check(entry), !taken.mayBeAppleDouble {
        (entries, share) = (taken.entries, \.taken)
      }
      try tally.add(
        entries: entries, bytes: entry.size ?? 0, as: share, of: entry, archiveBytes: input.archiveBytes)
    }
  }

  private mutating func take(_ entry: ArchiveEntry, into sink: any ImportSink) throws {
    switch try checker.check(entry) {
    case .isTop:
      isTopNamed = true
      try count(entry, as: \.taken)
      replaced.entries += 1
      try sink.addFolder(.root, entry)
    case .leaveOut(let path):
      if report.leftOut.last != path.string { report.leftOut.append(path.string) }
      try leaveOut(entry)
    case .leaveOutHidden(let path):
      if hidden.last != path { hidden.append(path) }
      try leaveOut(entry)
    case .take(let taken):
      try count(entry, as: \.taken, entries: taken.entries)
      if taken.replaces { replaced.entries += 1 }
      if taken.replaces, entry.isFile {
        replaced.bytes += try sink.size(of: taken.path)
        try sink.removeFile(at: taken.path, entry)
      }
      try take(taken, entry, into: sink)
    }
  }

  private mutating func leaveOut(_ entry: ArchiveEntry) throws {
    try count(entry, as: \.leftOut)
    // The import reads these bytes all the same, so that it finds damage and excess.
    if entry.kind == .file { _ = try read(entry, as: \.leftOut) { _, _ in } }
  }

  private mutating func take(
    _ taken: EntryChecker.Taken, _ entry: ArchiveEntry, into sink: any ImportSink
  ) throws {
    let path = taken.path
    if !taken.mayBeAppleDouble { note(path) }
    if let original = taken.original {
      try tally.add(
        bytes: sink.size(of: original), as: \.taken, of: entry, archiveBytes: input.archiveBytes)
      return try sink.addCopy(path, of: original, entry)
    }
    switch entry.kind {
    case .directory: try sink.addFolder(path, entry)
    case .link(let target): try sink.addLink(path, to: target, entry)
    default:
      // A document needs no programs that run as another user, so no sink takes more than the lower nine bits.
      if entry.mode & 0o6000 != 0 { report.privileged.append(path.string) }
      var first: [UInt8] = []
      try sink.addFile(path, entry) { write in
        first = try read(entry, as: \.taken, write)
      }
      guard taken.mayBeAppleDouble else { return }
      if first == EntryChecker.appleDoubleMagic {
        try tally.leaveOut(bytes: sink.size(of: path))
        try sink.removeFile(at: path, entry)
        checker.forget(path)
        report.leftOut.append(path.string)
      } else {
        note(path)
        checker.noteTop(path, entry)
      }
    }
  }

  /// Notes the names for `checkingChildren` of an entry that stays.
  private mutating func note(_ path: PackagePath) {
    if options.checkingChildren == nil { return }
    names[path.names[0], default: []].formUnion(path.names[1...].prefix(1))
  }

  private mutating func count(_ entry: ArchiveEntry, as share: EntryTally.Share, entries: Int = 1) throws {
    let bytes = entry.attributes.reduce(0) { $0 + UInt64($1.value.count) }
    try tally.add(
      entries: entries, attributeBytes: bytes, as: share, of: entry, archiveBytes: input.archiveBytes)
  }

  /// Reads an entry's bytes, and counts each piece before it passes the piece on.
  ///
  /// - Returns: the first four bytes.
  private mutating func read(
    _ entry: ArchiveEntry, as share: EntryTally.Share,
    _ body: (UnsafeRawBufferPointer, UInt64) throws -> Void
  ) throws -> [UInt8] {
    var end: UInt64 = 0
    var first: [UInt8] = []
    // A declared size beyond the last byte makes a hole, which counts like bytes.
    var tally = self.tally
    try source.forEachBlock { bytes, offset in
      try cancellation.check()
      let (next, overflow) = offset.addingReportingOverflow(UInt64(bytes.count))
      guard !overflow, offset >= end else {
        throw ArchiveError.Finding(.damaged, entry: entry.name, "its pieces overlap")
      }
      if let size = entry.size, next > size {
        throw ArchiveError.Finding(.damaged, entry: entry.name, "its size is wrong")
      }
      try tally.add(bytes: next - end, as: share, of: entry, archiveBytes: input.archiveBytes)
      if offset == UInt64(first.count), first.count < 4 { first += bytes.prefix(4 - first.count) }
      end = next
      try body(bytes, offset)
    }
    if let size = entry.size, size > end {
      try tally.add(bytes: size - end, as: share, of: entry, archiveBytes: input.archiveBytes)
    }
    self.tally = tally
    return first
  }
}
