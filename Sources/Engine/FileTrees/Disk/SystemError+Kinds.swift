import DurableIO
import PackageFormat
import SystemPackage

extension SystemError {
  /// Whether the file system lacks exchanging, or renaming without replacing.
  package var isLackOfRule: Bool {
    code == .invalidArgument || code == .notSupported || code == .noFunction
  }

  /// Whether this file cannot have a second name: the file system lacks links, or forbids this one.
  package var isLackOfLinks: Bool {
    [.tooManyLinks, .notPermitted, .improperLink, .notSupported, .noFunction].contains(code)
  }

  /// The system's words for use within a sentence.
  package var reason: String { code.description.lowercasingFirst }
}

extension Errno {
  /// Whether a change of names failed because of these names or their folders, and will fail the next time.
  ///
  /// Not so for a full disk, a failing device or a lack of memory.
  package var isRefusal: Bool {
    switch self {
    case .notPermitted, .permissionDenied, .noSuchFileOrDirectory, .resourceBusy, .fileExists, .improperLink,
      .notDirectory, .isDirectory, .invalidArgument, .fileNameTooLong, .directoryNotEmpty,
      .illegalByteSequence,
      .notSupported, .noFunction, .tooManySymbolicLinkLevels:
      true
    default: false
    }
  }
}
