import FilePackages
import Glibc

/// The arguments, with a lossless spelling for those that are not UTF-8.
package let givenArguments: [String] = argumentBytes.map { bytes in
  bytes.withUnsafeBufferPointer { $0.baseAddress.map { argument($0) } ?? "" }
}

/// The bytes of the arguments, each with its zero byte.
///
/// They come from `/proc`: the standard library looks for them beside the environment, which a preloaded library such as
/// libfaketime may have moved before `main`. Without `/proc` the standard library's count.
package let argumentBytes: [[CChar]] = {
  let line = commandLine()
  if !line.isEmpty {
    return line.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast().map { $0 + [0] }
  }
  return CommandLine.unsafeArgv.withMemoryRebound(to: UnsafeMutablePointer<CChar>?.self, capacity: 1) {
    values in
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      values[index].map { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
    }
  }
}()

/// Reads the arguments as the kernel has them, each with a zero byte behind it; empty if it cannot.
private func commandLine() -> [CChar] {
  let file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return [] }
  defer { close(file) }
  var (line, buffer) = ([CChar](), [CChar](repeating: 0, count: 4_096))
  while true {
    let count = read(file, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    if count < 0 { return [] }
    if count == 0 { return line }
    line += buffer[..<count]
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
