import Documents
import FilePackages
import FoundationEssentials
import Glibc

/// The sources of a passphrase: a file, the environment, or the user at a terminal.
package enum Passphrase {
  /// Returns the passphrase of the file or of the environment; nil if there is none.
  package static func given(file: String?) throws -> String? {
    if let file {
      let bytes = try contents(ofFile: file).contents()
      let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
      guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
        throw InputError(description: "'\(display(file))' has no passphrase in its first line.")
      }
      return text
    }
    return inEnvironment
  }

  /// Whether the environment contains a passphrase.
  package static var isInEnvironment: Bool { inEnvironment != nil }

  private static var inEnvironment: String? {
    let value = getenv("DOCPKG_PASSPHRASE").map { String(cString: $0) }
    return value?.isEmpty == true ? nil : value
  }

  /// Returns a new passphrase. Asks the user twice if no other source gives it.
  ///
  /// - Parameter otherwise: the further way that the error offers, such as `give --no-encrypt`.
  package static func new(file: String?, otherwise: String? = nil) throws -> String {
    if let given = try given(file: file) { return given }
    guard isatty(STDIN_FILENO) == 1 else { throw missing(otherwise) }
    let first = try ask("Passphrase: ")
    guard try ask("The same again: ") == first else {
      throw InputError(description: "The two passphrases differ.")
    }
    return first
  }

  /// Makes the error for a passphrase that no source gives.
  package static func missing(_ otherwise: String? = nil) -> InputError {
    let ways = otherwise.map { "set DOCPKG_PASSPHRASE, or \($0)" } ?? "or set DOCPKG_PASSPHRASE"
    return InputError(description: "There is no passphrase: give --passphrase-file, \(ways).")
  }

  /// Asks for a passphrase without an echo on the terminal.
  package static func ask(_ prompt: String) throws -> String {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw InputError(description: "The command can ask for a passphrase only on a terminal.")
    }
    let interrupt = settings.c_cc.0  // VINTR
    var silent = settings
    // Ctrl-C ends the line, and the program only when the terminal echoes again.
    silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
    silent.c_cc.11 = interrupt  // VEOL
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    StandardError.write(prompt)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    var count = 0
    repeat {
      count = read(STDIN_FILENO, &byte, 1)
      if count == 1 { line.append(byte) }
    } while count == 1 && byte != interrupt && byte != UInt8(ascii: "\n") || count < 0 && errno == EINTR
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    StandardError.write("\n")
    if line.last == interrupt { SignalPipe.endProgram(by: SIGINT) }
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    guard !line.isEmpty, let passphrase = String(validating: line, as: UTF8.self) else {
      throw InputError(description: "There is no passphrase.")
    }
    return passphrase
  }
}
