import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

extension DocumentError {
  /// Makes the error of a failure of the disk, the database or the library.
  init(managed error: any Error, _ operation: Operation, _ url: URL, store: String) {
    self = DocumentError(ofDisk: error, operation, url, store: store) ?? DocumentError(error, operation, url)
  }

  /// Makes the error of a failure of the disk, the database or the library.
  ///
  /// It is nil for an error of other code, such as a constraint that an edit violates.
  init?(ofDisk error: any Error, _ operation: Operation, _ url: URL, store: String) {
    switch error {
    case let error as DocumentError:
      self = error
      self.operation = operation
    case let error as FilePackageError: self.init(error, operation, url)
    case let error as SystemError:
      let node = StoredNode(location: Location(FilePath(lossless: url.path), on: PosixDisk()), path: .root)
      // Another program has the package's lock.
      let isLocked = error.code == .wouldBlock
      self.init(
        isLocked
          ? FilePackageError(.busy, operation.ofFile, node) : FilePackageError(error, operation.ofFile, node),
        operation, url)
    case let error as TablesProblem:
      self.init(error.fileError(operation.ofFile, url, store), operation, url)
    case let error as ChangeConflict: self.init(.conflict, operation, url, cause: Reason(error.reason))
    case let error as DatabaseError:
      guard let failure = error.fileError(operation.ofFile, url, store) else { return nil }
      self.init(failure, operation, url)
    default: return nil
    }
  }

  /// A reason in words.
  struct Reason: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
  }
}

extension DocumentError.Operation {
  fileprivate var ofFile: FilePackageError.Operation {
    switch self {
    case .open, .recover: .open
    case .revert: .read
    case .edit, .undo, .save: .save
    case .close: .close
    }
  }
}

extension TablesProblem {
  fileprivate func fileError(
    _ operation: FilePackageError.Operation, _ url: URL, _ store: String
  ) -> FilePackageError {
    let code: FilePackageError.Code =
      switch self {
      case .newerFormat, .newerSchema: .newerFormat
      case .cannotBePrepared: .readOnly
      default: .invalidContent
      }
    return FilePackageError(
      code, operation, document: url.path, child: "StoreContent/\(store)", reason: reason)
  }
}

extension DatabaseError {
  /// The failure of the disk that it tells of; nil if a statement failed for a reason of its own.
  fileprivate func fileError(
    _ operation: FilePackageError.Operation, _ url: URL, _ store: String
  ) -> FilePackageError? {
    let (code, reason): (FilePackageError.Code, String?) =
      switch resultCode {
      case .SQLITE_FULL: (.noSpace, nil)
      case .SQLITE_READONLY: (.readOnly, nil)
      case .SQLITE_BUSY, .SQLITE_LOCKED: (.busy, nil)
      case .SQLITE_NOTADB: (.invalidContent, "it is no SQLite database")
      case .SQLITE_CORRUPT: (.invalidContent, "the database is damaged")
      case .SQLITE_PERM, .SQLITE_AUTH: (.permissionDenied, nil)
      case .SQLITE_CANTOPEN, .SQLITE_IOERR: (.inputOutput, message)
      default: (.inputOutput, "")
      }
    if reason == "" { return nil }
    return FilePackageError(
      code, operation, document: url.path, child: "StoreContent/\(store)", reason: reason)
  }
}
