import ArgumentParser
import CommandSupport
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ImageNotes
import PackageArchive
import SystemPackage

extension Import {
  /// Makes a folder with a document for each note of a backup.
  ///
  /// A note that is no valid TextBundle is left out and reported, and the status is that of a difference.
  func importBackup() async throws {
    if isImageNotesName(path) {
      throw InputError(
        description:
          "'\(display(archive))' is a backup with many notes: give the name of a new folder for them, "
          + "without the extension of a document.")
    }
    let backup = try NoteBackup(await tree())
    if backup.notes.isEmpty {
      throw InputError(description: "'\(display(archive))' has no notes: it contains no TextBundle.")
    }
    if !writing.quiet {
      for path in backup.others {
        StandardError.write("docpkg: note: '\(display(path))' is left out: it belongs to no note\n")
      }
    }
    var failed: [String] = []
    let read = backup.notes.compactMap { note -> BackupDocument? in
      do {
        return BackupDocument(note, try InterchangeFormat.textBundle.read(note.bundle, named: note.path))
      } catch {
        failed.append(note.path)
        StandardError.write("docpkg: \(errorMessage(of: error))\n")
        return nil
      }
    }
    if read.isEmpty {
      throw InputError(description: "No note of '\(display(archive))' could be imported.")
    }
    if writing.dryRun {
      try writing.report(read.map { PlannedStep(.makeFolder, $0.name) }, making: path)
    } else {
      try await make(read, leavingOut: failed)
    }
    if !failed.isEmpty { throw ExitCode(ExitStatus.different) }
  }

  private func tree() async throws -> FileWrapper {
    var options = try options()
    if maxBytes == nil { options.limits.bytes = Self.memoryBytes }
    options.topFolder = .isKept
    do {
      return try await interruptible { [archive, options] in
        try await FileWrapper.importArchive(at: url(archive), options: options)
      }
    } catch let error as ArchiveError {
      throw error.withAdvice
    }
  }

  private func make(_ documents: [BackupDocument], leavingOut failed: [String]) async throws {
    let place = try FilePath(of: url(path), for: .create)
    let reports = try await interruptible { [path] in
      try await NewFolder.make(at: place) { folder in
        var reports: [InterchangeReport] = []
        for document in documents {
          try Task.checkCancellation()
          let saved = try await PackageStore.create(
            document.document.packageTree(), folder.appending(FileName(document.name)),
            contentType: .imageNotes,
            on: PosixDisk()
          ).report
          reports.append(
            InterchangeReport(
              path + "/" + document.name, .textBundle, document.document, written: saved.written,
              bytesWritten: saved.bytesWritten, document.remarks))
        }
        return reports
      }
    }
    if !writing.quiet {
      for document in documents { InterchangeReport.tell(document.remarks, of: document.name) }
    }
    let lines = reports.map(\.line) + ["\(display(path)): \(counted(reports.count, "document"))"]
    let report = BackupReport(path: path, documents: reports, failed: failed)
    try writing.tell(report, lines.joined(separator: "\n"))
  }
}

/// A note of a backup as a document.
private struct BackupDocument: Sendable {
  var name: String
  var document: InterchangeDocument
  var remarks: [InterchangeRemark]

  init(_ note: NoteBackup.Note, _ read: (document: InterchangeDocument, remarks: [InterchangeRemark])) {
    name = note.name + ".imageNotes"
    (document, remarks) = read
  }
}

/// The report of the import of a backup.
private struct BackupReport: Encodable {
  var path: String
  var documents: [InterchangeReport]
  /// The notes that are left out, as paths in the backup.
  var failed: [String]
}
