import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

/// An error about an archive that could not be made or read. Its members are facts; `description` is the text.
public struct ArchiveError: Error, Sendable {
  /// The kind of a failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The archive has no format that an import recognises.
    case notAnArchive
    /// The format cannot be read or written, or it cannot do what an option asks.
    case unsupported
    /// The archive holds nothing.
    case empty
    /// The archive is cut short, a checksum is wrong, or the archive contradicts itself about an entry.
    case damaged
    /// A name leads out of the package, or no file may have it.
    case unsafeName
    /// A link leads out of the package, or to nothing.
    case unsafeLink
    /// The entry is a device, a FIFO or another kind that no document contains.
    case unsafeKind
    /// Two entries claim one place.
    case duplicateName
    /// There are more entries, bytes or nested folders than the limits allow.
    case limitExceeded
    /// The entry is encrypted, and the passphrase is missing or wrong.
    case passphrase
    /// The format cannot hold a child's name or size.
    case notRepresentable
    /// Something exists at the place already, and the call must not replace it.
    case fileExists
    /// Nothing exists at the place.
    case noSuchFile
    /// The disk or the user's quota is full.
    case noSpace
    /// The system forbids it, or the disk is read-only.
    case permissionDenied
    /// Another program is making the same file at this moment.
    case busy
    /// The device failed, or the system gave a reason without a code of its own.
    case inputOutput
    /// The archive or package is in its place, and the device did not confirm that: a power cut may remove it.
    case indeterminate
  }

  /// The work that failed.
  public enum Operation: String, Sendable {
    /// Making an archive of a package.
    case export
    /// Making a package of an archive.
    case `import`
  }

  /// An option of an import that would permit the refused entry or archive. `docpkg import` has options for
  /// some, with the raw value as name.
  public enum Allowance: String, Sendable {
    case charset
    case appleDouble
    case history = "with-history"
    case outsideLinks
    case similarNames = "similar-names"
    case controlCharacters
    case driveLetters
    case backslashes
    case bytes = "max-bytes"
    case entries
    case ratio
    case depth
    case dictionaryBytes
  }

  /// The kind of failure.
  public var code: Code
  /// The work that failed.
  public var operation: Operation
  /// The archive's path; nil for a stream.
  public var archive: String?
  /// The entry's name in the archive, for people to read.
  public var entry: String?
  /// The reason, in words.
  public var reason: String
  /// The number of the system's error (errno).
  public var systemErrorNumber: Int32?
  /// The option of `ImportOptions` or `ImportLimits` that would let the entry through; nil if there is none.
  public var allowance: Allowance?

  /// Makes an error of these facts.
  package init(
    _ code: Code, _ operation: Operation, archive: String? = nil, entry: String? = nil, reason: String
  ) {
    self.code = code
    self.operation = operation
    self.archive = archive
    self.entry = entry
    self.reason = reason
  }
}

extension ArchiveError {
  /// The facts that the place of an error knows; the caller adds the archive and the operation.
  struct Finding: Error {
    var code: Code
    var entry: String?
    var reason: String
    var systemErrorNumber: Int32?
    var allowance: Allowance?

    init(_ code: Code, entry: [UInt8]? = nil, _ reason: String, unless allowance: Allowance? = nil) {
      self.code = code
      self.entry = entry.map { FileName(bytes: $0).display }
      self.reason = reason
      self.allowance = allowance
    }

    init(_ error: SystemError, entry: [UInt8]? = nil, _ activity: String) {
      self.init(Code(error.code), entry: entry, "\(error.code.description.lowercasingFirst) (\(activity))")
      systemErrorNumber = error.code.rawValue
    }

    static var outOfMemory: Finding { .init(.inputOutput, "there is no memory left") }
  }

  /// Carries out what comes after the new file or package was given its name.
  static func inPlace(_ body: () throws(SystemError) -> Void) throws(Finding) {
    do {
      try body()
    } catch {
      var finding = Finding(error, "syncing its folder")
      finding.code = .indeterminate
      throw finding
    }
  }

  init(_ finding: Finding, _ operation: Operation, archive: String?) {
    self.init(
      finding.code, operation, archive: archive, entry: finding.entry, reason: finding.reason)
    systemErrorNumber = finding.systemErrorNumber
    allowance = finding.allowance
  }

  /// Runs `body`, and adds the operation and the archive to a finding that it throws.
  static func during<Result>(
    _ operation: Operation, of archive: String?, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let finding as Finding {
      throw ArchiveError(finding, operation, archive: archive)
    }
  }
}

extension ArchiveError.Code {
  init(_ code: Errno) {
    self =
      switch code {
      case .noSuchFileOrDirectory: .noSuchFile
      case .fileExists: .fileExists
      case .noSpace, Errno(rawValue: 122): .noSpace
      case .readOnlyFileSystem, .permissionDenied, .notPermitted: .permissionDenied
      default: .inputOutput
      }
  }
}

extension ArchiveError: CustomStringConvertible, LocalizedError {
  /// A sentence that names the archive, the entry and the reason. An export or import adds that it wrote nothing,
  /// unless the code is `indeterminate`.
  public var description: String { text { displayString($0) } }

  /// Returns `description` with the archive's path in another form.
  ///
  /// - Parameter path: returns the form of the archive's path.
  package func text(path: (String) -> String) -> String {
    var text = archive.map { "The archive '\(path($0))'" } ?? "The archive"
    switch operation {
    case _ where code == .indeterminate:
      text += operation == .import ? " was imported" : " is in its place"
      text += ", but the disk did not confirm it: "
    case .export: text += " could not be made: "
    case .import: text += " could not be imported: "
    }
    text += reason
    if let entry { text += " (entry '\(entry)')" }
    text += "."
    switch operation {
    case _ where code == .indeterminate:
      text += " A power cut may remove it; repeat the command after the device works."
    case .export: text += " Nothing was written in its place."
    case .import: text += " Nothing was written."
    }
    return text
  }

  /// `description`, for Foundation.
  public var errorDescription: String? { description }
}

extension String {
  /// The text as it stands within a sentence, for example `no space left on device`.
  fileprivate var lowercasingFirst: String {
    guard let first, dropFirst().first?.isLowercase == true else { return self }
    return first.lowercased() + dropFirst()
  }
}
