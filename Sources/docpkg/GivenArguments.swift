import FilePackages
import Glibc

/// The arguments, with a lossless spelling for those that are not UTF-8.
var givenArguments: [String] {
  CommandLine.unsafeArgv.withMemoryRebound(to: UnsafeMutablePointer<CChar>?.self, capacity: 1) {
    values in
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      values[index].map { argument($0) }
    }
  }
}

/// Returns an argument as a string that keeps its bytes.
///
/// A path from `--json` has this spelling already. A file whose name has exactly the argument's bytes comes first.
private func argument(_ bytes: UnsafePointer<CChar>) -> String {
  var status = stat()
  if let text = String(validatingCString: bytes), isLosslessSpelling(text), lstat(bytes, &status) != 0 {
    return text
  }
  return FilePackages.losslessString(cString: bytes)
}
