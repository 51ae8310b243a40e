import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

/// Why an archive could not be made or read, in facts; `description` is the one place where they become a text.
public struct ArchiveError: Error, Sendable {
  /// What kind of failure it is, for programs to decide by.
  public enum Code: String, Sendable, CaseIterable {
    /// It is none of the formats that are recognised.
    case notAnArchive
    /// The format cannot be written, or what it was asked for it cannot do.
    case unsupported
    /// There is nothing in it.
    case empty
    /// It is cut short, a checksum is wrong, or it says two different things about the same entry.
    case damaged
    /// A name that leads out of the package, or that no file should have.
    case unsafeName
    /// A link that leads out of the package, or to nothing.
    case unsafeLink
    /// A device, a FIFO, or something else that no document has in it.
    case unsafeKind
    /// Two entries want one place.
    case duplicateName
    /// More entries, bytes or folders within folders than were allowed.
    case limitExceeded
    /// It is encrypted, and there is no passphrase, or a wrong one.
    case passphrase
    /// A child's name, or its size, that the format cannot hold.
    case notRepresentable
    /// There is something already, and it was not to be replaced.
    case fileExists
    /// Nothing is at that place.
    case noSuchFile
    /// The disk or the user's share of it is full.
    case noSpace
    /// The system forbids it, or the medium cannot be written.
    case permissionDenied
    /// Another program is making the same file at this moment.
    case busy
    /// The device failed, or the system gave a reason that has no code of its own.
    case inputOutput
  }

  /// What was being done.
  public enum Operation: String, Sendable {
    /// Making an archive of a package.
    case export
    /// Making a package of an archive.
    case `import`
    /// Looking at what is in an archive.
    case list
  }

  /// What an import may be allowed, so that it takes what it refused.
  public enum Allowance: String, Sendable, CaseIterable {
    case appleDouble, history, outsideLinks, similarNames, controlCharacters, driveLetters
    case charset, format
    case bytes, entries, ratio, depth, dictionaryBytes
  }

  /// What kind of failure it is.
  public var code: Code
  /// What was being done.
  public var operation: Operation
  /// The archive's path; nil for a stream.
  public var archive: String?
  /// The entry that it is about, as the archive has it, for people to read.
  public var entry: String?
  /// The reason, in words.
  public var reason: String
  /// The number of the system's error (errno).
  public var systemErrorNumber: Int32?
  /// The option of `ImportOptions` or `ImportLimits` that would let it through; nil where none does.
  public var allowance: Allowance?

  /// Makes an error of these facts.
  public init(
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
  /// What is known where an error is found; whoever knows the archive and what is being done adds that.
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
  }

  init(_ finding: Finding, _ operation: Operation, archive: String?) {
    self.init(
      finding.code, operation, archive: archive, entry: finding.entry, reason: finding.reason)
    systemErrorNumber = finding.systemErrorNumber
    allowance = finding.allowance
  }

  /// Carries out `body`, and completes what it finds wrong.
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
  /// One sentence that names the archive, the entry and the reason, and what is left.
  public var description: String { text { displayString($0) } }

  /// The same sentence.
  ///
  /// - Parameter path: how the archive's path is written.
  public func text(path: (String) -> String) -> String {
    var text = archive.map { "The archive '\(path($0))'" } ?? "The archive"
    switch operation {
    case .export: text += " could not be made: "
    case .import: text += " could not be imported: "
    case .list: text += " could not be read: "
    }
    text += reason
    if let entry { text += " (entry '\(entry)')" }
    text += "."
    switch operation {
    case .export: text += " Nothing was written in its place."
    case .import: text += " Nothing was written."
    case .list: break
    }
    return text
  }

  /// The same text, where Foundation asks for one.
  public var errorDescription: String? { description }
}

extension String {
  /// `No space left on device` as it stands within a sentence.
  fileprivate var lowercasingFirst: String {
    guard let first, dropFirst().first?.isLowercase == true else { return self }
    return first.lowercased() + dropFirst()
  }
}
