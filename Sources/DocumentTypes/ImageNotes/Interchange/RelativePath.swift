import DurableIO
import FilePackages

/// The destination of a reference, taken apart: a file beside the text, or something else.
enum RelativePath: Equatable {
  /// A file by its path in the tree, in the spelling of `FileWrapper`.
  case file(String)
  /// Something with a scheme, such as `https://example.org/7.png`, or a place within the text.
  case elsewhere
  /// A path that leads out of the tree, or to this computer's root.
  case outside

  /// - Parameters:
  ///   - destination: the destination as the text spells it.
  ///   - isEncoded: whether percent signs encode bytes.
  ///   - folder: the path of the text's folder in the tree; empty for the tree itself.
  init(_ destination: String, isEncoded: Bool = true, in folder: String = "") {
    let bytes = Array(destination.utf8)
    if bytes.isEmpty || bytes.first == UInt8(ascii: "#") || bytes.starts(with: Array("//".utf8)) {
      self = .elsewhere
      return
    }
    if let scheme = Self.scheme(of: bytes) {
      self = scheme == "file" ? .outside : .elsewhere
      return
    }
    let decoded = isEncoded ? bytes.percentDecoded.bytes : bytes
    if decoded.first == UInt8(ascii: "/") || decoded.contains(0) {
      self = .outside
      return
    }
    var names = PackagePath(folder).names
    for part in decoded.split(separator: UInt8(ascii: "/")) where !part.elementsEqual(Array(".".utf8)) {
      let isUpward = part.elementsEqual(Array("..".utf8))
      // Windows' separator is a letter of a name here, and would lead out on that system.
      if isUpward ? names.popLast() == nil : Self.isWindowsWayOut(part) {
        self = .outside
        return
      }
      if !isUpward { names.append(FileName(bytes: Array(part))) }
    }
    self = names.isEmpty ? .outside : .file(PackagePath(names).string)
  }

  private static func isWindowsWayOut(_ name: ArraySlice<UInt8>) -> Bool {
    name.split(separator: UInt8(ascii: "\\"), omittingEmptySubsequences: false).contains {
      $0.elementsEqual(Array("..".utf8))
    }
  }

  /// The scheme of a URL in lower case. A drive's letter, such as `C:`, is none and leads out.
  private static func scheme(of bytes: [UInt8]) -> String? {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let first = bytes.first, isLetter(first) else {
      return nil
    }
    let name = bytes[..<colon]
    guard name.allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) }) else {
      return nil
    }
    return name.count == 1 ? "file" : String(decoding: name, as: UTF8.self).lowercased()
  }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Returns a path of `FileWrapper`'s spelling as a destination: each byte that a URL or Markdown may take otherwise is
  /// percent-encoded.
  static func encoded(_ path: String) -> String {
    path.split(separator: "/").map { FileName(String($0)).bytes }.joined(separator: [0x2F])
      .percentEncoded(keeping: "/")
  }

  /// Returns the new destination for a file that moves from one path to another.
  ///
  /// If only its folder changes, the rest stays as it is spelled.
  static func respelled(_ destination: String, from old: String, to new: String) -> String {
    let (oldFolder, oldName) = parts(old)
    let (newFolder, newName) = parts(new)
    // Equal strings may differ in their bytes.
    if oldName.utf8.elementsEqual(newName.utf8), !oldFolder.isEmpty, !newFolder.isEmpty,
      destination.hasPrefix(oldFolder + "/")
    {
      let respelled = newFolder + destination.dropFirst(oldFolder.count)
      // An upward step would lead out of the new folder.
      if candidates(respelled).contains(.file(new)) { return respelled }
    }
    return encoded(new)
  }

  private static func parts(_ path: String) -> (folder: String, rest: String) {
    guard let slash = path.firstIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
