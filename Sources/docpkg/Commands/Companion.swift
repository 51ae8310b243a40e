import FoundationEssentials
import Glibc

/// A program that is a command of `docpkg`: `docpkg NAME …` runs `docpkg-NAME …`.
///
/// The program takes the place of this one (execve), so that the terminal, the signals, the descriptors and the exit
/// status are its own. A command of this program comes before a companion with its name.
enum Companion {
  private static let prefix = "docpkg-"

  /// Runs the companion that the arguments name, and does not return then. Returns if they name none.
  ///
  /// The main thread calls it before other threads begin: execve keeps the mask of signals of its thread.
  static func run(_ arguments: [[CChar]]) {
    let texts = arguments.prefix(2).map { bytes in
      String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let isHelp = texts.first == "help"
    guard let name = isHelp ? texts.dropFirst().first : texts.first, let path = path(of: name) else { return }
    let rest = arguments.dropFirst(isHelp ? 2 : 1)
    var line = [Array((prefix + name).utf8CString)] + rest
    if isHelp { line.append(Array("--help".utf8CString)) }
    var pointers = line.map { strdup($0) }
    pointers.append(nil)
    execv(path, pointers)
    let reason = String(cString: strerror(errno))
    StandardError.write("docpkg: '\(display(path))' cannot be run: \(reason).\n")
    exit(ExitStatus.failed)
  }

  /// The names of all companions that are there, in order.
  static var names: [String] {
    let found = folders.flatMap { folder in
      // PATH may have folders that cannot be read.
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
    return Set(found).filter { path(of: $0) != nil }.sorted()
  }

  /// The lines of `docpkg --help` on companions; empty if there are none.
  static var help: String {
    let names = names
    if names.isEmpty { return "" }
    return "\n\nOTHER PROGRAMS:\n" + names.map { "  \($0)" }.joined(separator: "\n")
  }

  private static func path(of name: String) -> String? {
    if name.isEmpty || name.hasPrefix("-") || name.contains("/") { return nil }
    if plainCommands[name] != nil || name == "help" || CommandNames.all.contains(name) { return nil }
    return folders.lazy.map { "\($0)/\(prefix)\(name)" }.first { path in
      var status = stat()
      return access(path, X_OK) == 0 && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// The folders of companions, the first one first: this program's own, `libexec/docpkg` beside it, and those of PATH.
  ///
  /// A relative folder in PATH does not count: a document's folder must not bring a program.
  private static var folders: [String] {
    var folders: [String] = []
    if let program = realpath("/proc/self/exe", nil) {
      defer { free(program) }
      let folder = String(cString: program).split(separator: "/").dropLast().map { "/\($0)" }
      folders = [folder.joined(), folder.dropLast().joined() + "/libexec/docpkg"]
    }
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return folders + path.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
  }
}
