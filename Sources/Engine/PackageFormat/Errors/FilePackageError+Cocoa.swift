package import FoundationEssentials

extension FilePackageError {
  /// The error as Apple's interfaces throw it, with this one as its `NSUnderlyingError`.
  package var cocoaError: CocoaError {
    CocoaError(
      cocoaCode,
      userInfo: [
        "NSFilePath": document, "NSLocalizedDescription": description, "NSUnderlyingError": self,
      ])
  }

  private var cocoaCode: CocoaError.Code {
    let reads = operation == .read || operation == .open
    return switch code {
    case .noSuchFile, .noSuchVersion: reads ? .fileReadNoSuchFile : .fileNoSuchFile
    case .fileExists, .nameCollision: .fileWriteFileExists
    case .noSpace: .fileWriteOutOfSpace
    case .readOnly: .fileWriteVolumeReadOnly
    case .permissionDenied: reads ? .fileReadNoPermission : .fileWriteNoPermission
    case .invalidName, .reservedName: reads ? .fileReadInvalidFileName : .fileWriteInvalidFileName
    case .cancelled: .userCancelled
    case .metadataDamaged, .newerFormat, .invalidContent: .fileReadCorruptFile
    default: reads ? .fileReadUnknown : .fileWriteUnknown
    }
  }
}

extension CocoaError {
  /// Returns the error of a file that is read to become a part of a document.
  package func ofFile(at url: URL) -> CocoaError {
    guard var error = userInfo["NSUnderlyingError"] as? FilePackageError else { return self }
    (error.subject, error.document, error.child) = (.file, url.path, nil)
    return error.cocoaError
  }
}
