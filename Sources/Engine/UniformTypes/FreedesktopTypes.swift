/// The contents of freedesktop.org's shared MIME database: MIME types, their names and their subclasses.
///
/// It reads the text files that `update-mime-database` writes (shared-mime-info 0.21). Only globs of the form
/// `*.extension` become extensions. An unreadable line is skipped.
package struct FreedesktopTypes: Sendable, Equatable {
  /// The files of one directory; a missing file is empty.
  package struct Files: Sendable, Equatable {
    package var globs: String
    package var subclasses: String
    package var aliases: String

    package init(globs: String = "", subclasses: String = "", aliases: String = "") {
      self.globs = globs
      self.subclasses = subclasses
      self.aliases = aliases
    }
  }

  private struct Glob: Sendable, Equatable {
    var mimeType: String
    var fileExtension: String
    var weight: Int
    var isCaseSensitive: Bool
  }

  private var globs: [String: [Glob]] = [:]
  private var extensions: [String: [Glob]] = [:]
  private var parents: [String: [String]] = [:]
  private var realNames: [String: String] = [:]
  private var otherNames: [String: [String]] = [:]
  private var known: Set<String> = []

  /// Merges the contents of several directories, the most important first.
  ///
  /// If a directory has `__NOGLOBS__` for a type, the globs of that type in later directories do not count.
  /// Cost: linear in the length of the files.
  package init(_ layers: [Files] = []) {
    var closed: Set<String> = []
    for layer in layers {
      var closing: Set<String> = []
      for line in Self.lines(layer.globs) { readGlob(line, closed: closed, closing: &closing) }
      closed.formUnion(closing)
      for line in Self.lines(layer.subclasses) { readSubclass(line) }
      for line in Self.lines(layer.aliases) { readAlias(line) }
    }
  }

  /// Returns the MIME types of names that end in one of the given extensions, the likeliest first.
  ///
  /// The highest weight wins, then the longest extension, then an exact match of a case-sensitive glob, then the more
  /// important directory and the earlier line. Case counts only for globs that say so.
  package func mimeTypes(extensions names: [String]) -> [String] {
    var matches: [Glob] = []
    for name in names {
      matches += globs[name.lowercased(), default: []].filter {
        !$0.isCaseSensitive || $0.fileExtension == name
      }
    }
    let order = matches.enumerated().sorted { left, right in
      Self.rank(left.element, left.offset) < Self.rank(right.element, right.offset)
    }
    return Self.unique(order.map(\.element.mimeType))
  }

  /// Returns the MIME type of a name, which is another one if the name is an alias; nil if it is unknown.
  package func realName(_ mimeType: String) -> String? {
    let name = mimeType.lowercased()
    let real = realNames[name] ?? name
    return known.contains(real) ? real : nil
  }

  /// Returns the extensions of a MIME type, the likeliest first.
  package func fileExtensions(_ mimeType: String) -> [String] {
    let order = extensions[mimeType, default: []].enumerated().sorted { left, right in
      (-left.element.weight, left.offset) < (-right.element.weight, right.offset)
    }
    return Self.unique(order.map(\.element.fileExtension))
  }

  /// Returns the direct supertypes of a MIME type.
  package func parents(_ mimeType: String) -> [String] { parents[mimeType] ?? [] }

  package static let directory = "inode/directory"

  /// Returns whether the files of a MIME type are directories that are documents. It is then no `inode/` type, and
  /// conforms to `inode/directory` over any number of steps.
  package func isPackage(_ mimeType: String) -> Bool {
    if mimeType.hasPrefix("inode/") { return false }
    var seen: Set<String> = [mimeType]
    var open = [mimeType]
    while let next = open.popLast() {
      for parent in parents(next) where seen.insert(parent).inserted {
        if parent == Self.directory { return true }
        open.append(parent)
      }
    }
    return false
  }

  /// Returns the other names of a MIME type.
  package func aliases(_ mimeType: String) -> [String] { otherNames[mimeType] ?? [] }

  /// Every MIME type in the files, without aliases.
  package var mimeTypes: Set<String> { known }

  // weight:type:glob, then flags that are separated by commas
  private mutating func readGlob(_ line: Substring, closed: Set<String>, closing: inout Set<String>) {
    let fields = Self.split(line, at: ":", omittingEmpty: false)
    guard fields.count >= 3, let weight = Int(fields[0]), (0...100).contains(weight),
      let mimeType = Self.mimeType(fields[1])
    else { return }
    known.insert(mimeType)
    if fields[2] == "__NOGLOBS__" {
      closing.insert(mimeType)
      return
    }
    guard !closed.contains(mimeType), let fileExtension = Self.fileExtension(fields[2]) else { return }
    let flags = fields.count > 3 ? Self.split(fields[3], at: ",") : []
    let glob = Glob(
      mimeType: mimeType, fileExtension: fileExtension, weight: weight, isCaseSensitive: flags.contains("cs"))
    globs[fileExtension.lowercased(), default: []].append(glob)
    extensions[mimeType, default: []].append(glob)
  }

  private mutating func readSubclass(_ line: Substring) {
    guard let (child, parent) = Self.pair(line) else { return }
    known.formUnion([child, parent])
    if !parents[child, default: []].contains(parent) { parents[child, default: []].append(parent) }
  }

  private mutating func readAlias(_ line: Substring) {
    guard let (alias, real) = Self.pair(line), realNames[alias] == nil else { return }
    known.insert(real)
    realNames[alias] = real
    otherNames[real, default: []].append(alias)
  }

  private static func lines(_ text: String) -> [Substring] {
    split(text[...], at: "\n").filter { $0.utf8.first != UInt8(ascii: "#") }
  }

  private static func split(
    _ text: Substring, at separator: Unicode.Scalar, omittingEmpty: Bool = true
  ) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: omittingEmpty)
      .map { Substring($0) }
  }

  private static func pair(_ line: Substring) -> (String, String)? {
    let words = split(line, at: " ")
    guard words.count == 2, let first = mimeType(words[0]), let second = mimeType(words[1]), first != second
    else { return nil }
    return (first, second)
  }

  private static func mimeType(_ text: Substring) -> String? {
    guard !text.utf8.contains(UInt8(ascii: ";")) else { return nil }
    return TypeTag(String(text), tagClass: .mimeType)?.value
  }

  private static func fileExtension(_ glob: Substring) -> String? {
    guard glob.utf8.starts(with: "*.".utf8) else { return nil }
    let text = glob.utf8.dropFirst(2)
    guard !text.contains(where: wildcards.contains) else { return nil }
    let name = String(Substring(text))
    return TypeTag(name, tagClass: .filenameExtension) == nil ? nil : name
  }

  private static let wildcards = Array("*?[]\\".utf8)

  private static func rank(_ glob: Glob, _ offset: Int) -> (Int, Int, Int, Int) {
    (-glob.weight, -glob.fileExtension.utf8.count, glob.isCaseSensitive ? 0 : 1, offset)
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
