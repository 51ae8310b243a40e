import ArgumentParser
package import FilePackages
package import FoundationEssentials
import Glibc
import SystemPackage

/// An error in the input of a command.
package struct InputError: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) { self.description = description }
}

/// Returns the URL of a path as the user typed it.
package func url(_ path: String) -> URL {
  URL(filePath: path)
}

/// Returns the URL of a path from the root, without `.` and `..`. A relative URL would lose a `..` at its beginning.
package func absoluteURL(_ path: String) -> URL {
  url(path).absoluteURL.standardized
}

/// Returns the text of `--text` or of the file of `--text-file`; `-` stands for standard input.
package func text(_ text: String?, file: String?) throws -> String? {
  if let text { return text }
  guard let file else { return nil }
  let bytes = try contents(ofFile: file).contents()
  guard let text = String(validating: bytes, as: UTF8.self) else {
    throw InputError(description: "'\(file == "-" ? "standard input" : file)' is not a text in UTF-8.")
  }
  return text
}

/// - Throws: a `ValidationError` if two of the files are standard input, which can be read only once.
package func checkStandardInput(in files: [String?]) throws {
  if files.count(where: { $0 == "-" }) < 2 { return }
  throw ValidationError("Standard input can be read only once: give - for one file.")
}

/// Returns a file whose bytes are read when they are written. For `-`, reads standard input now.
package func contents(ofFile file: String) throws -> FileWrapper {
  guard file == "-" else { return try FileWrapper(regularFileWithContentsOf: url(file)) }
  var data = Data()
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count == 0 { return FileWrapper(regularFileWithContents: data) }
    if count > 0 {
      data.append(contentsOf: buffer[..<count])
    } else if errno != EINTR {
      let reason = errno == EBADF ? "it is closed" : Errno(rawValue: errno).description
      throw InputError(description: "Standard input could not be read: \(reason).")
    }
  }
}
