import DurableIO
import SystemPackage

extension SystemError {
  /// Whether the file system lacks exchanging, or renaming without replacing.
  var isLackOfRule: Bool {
    code == .invalidArgument || code == .notSupported || code == .noFunction
  }

  /// The system's words for use within a sentence.
  var reason: String { code.description.lowercasingFirst }
}
