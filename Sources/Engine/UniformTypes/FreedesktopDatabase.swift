import FoundationEssentials
import Glibc
import Synchronization

/// The shared MIME database of some directories, read at the first question and never again.
package final class FreedesktopDatabase: Sendable {
  private let directories: @Sendable () -> [String]
  private let contents = Mutex<FreedesktopTypes?>(nil)
  private let names = Mutex<Set<String>?>(nil)

  /// - Parameter directories: directories that hold `globs2`, `subclasses` and `aliases`, the most important
  ///   first. None need exist.
  package convenience init(directories: [String]) { self.init { directories } }

  private init(directories: @escaping @Sendable () -> [String]) { self.directories = directories }

  /// The database; empty if there is none.
  ///
  /// Cost: the first call reads the files in a few milliseconds, about 70 kB for the usual database. The process never
  /// sees a later change of the files.
  package var types: FreedesktopTypes {
    contents.withLock { contents in
      if let contents { return contents }
      let types = FreedesktopTypes(directories().map(Self.files))
      contents = types
      return types
    }
  }

  /// Returns the MIME types of names that end in one of the given extensions, as `FreedesktopTypes` does.
  ///
  /// Cost: an extension without a type, such as that of `tmp.AbC123`, needs the list of extensions alone. The list is
  /// made once, at a fiftieth of the cost of the types.
  package func mimeTypes(extensions: [String]) -> [String] {
    let known = names.withLock { names in
      let all = names ?? Self.extensions(of: directories())
      names = all
      return extensions.filter { all.contains($0.lowercased()) }
    }
    return known.isEmpty ? [] : types.mimeTypes(extensions: known)
  }

  /// Returns the extensions of all globs, in lower case, and perhaps words that are no extensions.
  private static func extensions(of directories: [String]) -> Set<String> {
    var found: Set<String> = []
    for directory in directories {
      let bytes = Array(text(directory + "/globs2").utf8)
      var rest = bytes[...]
      while let star = rest.firstIndex(of: UInt8(ascii: "*")) {
        rest = rest[(star + 1)...]
        guard rest.first == UInt8(ascii: ".") else { continue }
        let name = rest.dropFirst().prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "\n") }
        found.insert(String(decoding: name, as: UTF8.self).lowercased())
        rest = rest[name.endIndex...]
      }
    }
    return found
  }

  /// Whether the types have been read.
  package var isRead: Bool { contents.withLock { $0 != nil } }

  /// Returns the directories of the database by the XDG Base Directory Specification.
  ///
  /// They are `$XDG_DATA_HOME/mime`, then `mime` in each of `$XDG_DATA_DIRS`. Relative paths are ignored, as the
  /// specification asks. At most 64 directories are read.
  package static func directories(environment: [String: String]) -> [String] {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let home = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
    let others = value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
    let bases = [home].compactMap(\.self) + others.split(separator: ":").map(String.init)
    return bases.filter { $0.hasPrefix("/") }.prefix(64).map { $0 + "/mime" }
  }

  /// The database of this process's environment.
  package static func ofSystem() -> FreedesktopDatabase {
    FreedesktopDatabase { directories(environment: ProcessInfo.processInfo.environment) }
  }

  /// The limit of the bytes read from one file; the usual files have less than a hundredth of this.
  package static let largestFile = 4 << 20

  private static func files(_ directory: String) -> FreedesktopTypes.Files {
    FreedesktopTypes.Files(
      globs: text(directory + "/globs2"), subclasses: text(directory + "/subclasses"),
      aliases: text(directory + "/aliases"))
  }

  /// Returns the text of a regular file up to the last line that fits; empty if the file cannot be read.
  private static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return "" }
    var bytes: [UInt8] = []
    while bytes.count < largestFile {
      let count = min(1 << 16, largestFile - bytes.count)
      let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        initialized = max(0, read(descriptor, buffer.baseAddress, count))
      }
      if piece.isEmpty { break }
      bytes += piece
    }
    if bytes.count == largestFile {
      bytes.removeSubrange((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)...)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
