import DurableIO
import FoundationEssentials
import SystemPackage

extension FilePath {
  /// The path as a string that spells every byte.
  var string: String { FileName(self).string }

  var url: URL { URL(filePath: string, directoryHint: .isDirectory) }
}
