import DurableIO
import FilePackages

/// One export, from the first entry to the last byte.
struct ExportRun {
  let snapshot: PackageSnapshot
  let format: ArchiveFormat
  let options: ExportOptions
  let earlier: EarlierZip?
  let cancellation: Cancellation
  let progress: ArchiveProgress.Handler?

  /// - Throws: a finding for options that the format does not support.
  init(
    _ snapshot: PackageSnapshot, _ format: ArchiveFormat, _ options: ExportOptions, _ earlier: EarlierZip?,
    _ cancellation: Cancellation, _ progress: ArchiveProgress.Handler?
  ) throws {
    if options.passphrase != nil, format != .zip {
      throw ArchiveError.Finding(.unsupported, "only a zip can be encrypted, not \(format.rawValue)")
    }
    if options.passphrase?.isEmpty == true {
      throw ArchiveError.Finding(.unsupported, "the passphrase is empty")
    }
    if earlier != nil, format != .zip || options.passphrase != nil {
      throw ArchiveError.Finding(.unsupported, "only a zip without a passphrase can be updated")
    }
    if options.level != nil, format == .tar {
      throw ArchiveError.Finding(.unsupported, "tar does not compress")
    }
    self.snapshot = snapshot
    self.format = format
    self.options = options
    self.earlier = earlier
    self.cancellation = cancellation
    self.progress = progress
  }

  /// - Parameter name: the name of the folder around all entries if the package has no name.
  func write(to output: ArchiveOutput, name: FileName?) throws -> ExportReport {
    var report = ExportReport(format: format)
    var walk = SnapshotWalk(snapshot, options, format, fallbackName: name)
    var done = ArchiveProgress()
    let counted: (Int) throws -> Void = { count in
      try cancellation.check()
      done.bytes += UInt64(count)
      progress?(done)
    }
    func forEach(_ add: (ExportEntry) throws -> Void) throws {
      try walk.forEach { entry in
        try cancellation.check()
        done.entries += 1
        report.entries += 1
        if case .file(let contents) = entry.content { report.bytes += contents.size ?? 0 }
        try add(entry)
      }
    }
    if format == .zip && options.passphrase == nil {
      let zip = try ZipExporter(to: output, options, earlier: earlier, counted)
      defer { zip.stop() }
      try forEach(zip.add)
      try zip.finish()
      report.reused = zip.reused
    } else {
      try withUTF8Locale { try writeByLibarchive(to: output, counted, forEach) }
    }
    try output.flush()
    report.archiveBytes = output.count
    report.leftOut = walk.leftOut.map(\.string)
    report.privileged = walk.privileged.map(\.string)
    return report
  }

  /// Writes all formats but a zip without a passphrase.
  private func writeByLibarchive(
    to output: ArchiveOutput, _ progress: @escaping (Int) throws -> Void,
    _ forEach: ((ExportEntry) throws -> Void) throws -> Void
  ) throws {
    let frame = format == .tarZstd ? try ZstandardCompressor(options, to: output) : nil
    let zip = format == .zip ? ZipCommenter(ZipExporter.comment(options), to: output) : nil
    let deflater = try Deflater(level: 1)
    let writer = try LibarchiveWriter.open(format, options, to: frame?.write ?? zip?.write ?? output.write)
    try forEach { entry in
      try writer.write(entry, isStored: try format == .zip && isStored(entry, deflater), progress)
    }
    try writer.finish()
    try frame?.finish()
    try zip?.finish()
  }

  private func isStored(_ entry: ExportEntry, _ deflater: borrowing Deflater) throws -> Bool {
    guard case .file(let contents) = entry.content else { return false }
    let reader = try ContentsReader(contents)
    let probe = try reader.bytes(
      at: CompressionProbe.start(in: reader.size), count: CompressionProbe.size)
    return try probe.withUnsafeBytes { try !CompressionProbe.isCompressible($0, with: deflater) }
  }
}
