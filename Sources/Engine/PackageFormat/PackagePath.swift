package import DurableIO

/// The place of a node within a package: the names that lead to it; empty for the package itself.
package struct PackagePath: Hashable, Sendable {
  package var names: [FileName]

  package init(_ names: [FileName] = []) {
    self.names = names
  }

  /// Reads a path such as `Images/7.png`.
  ///
  /// Nothing is normalised, so that later checks see an invalid name.
  package init(_ string: String) {
    names = string.split(separator: "/", omittingEmptySubsequences: false).map { FileName(String($0)) }
    if names == [""] { names = [] }
  }

  package static let root = PackagePath()

  /// The depth of folders that the library follows; it refuses a deeper package.
  package static let maximumDepth = 200

  package var isRoot: Bool { names.isEmpty }
  package var name: FileName? { names.last }
  package var parent: PackagePath { PackagePath(Array(names.dropLast())) }

  /// The folders around the path, except the root.
  package var folders: [PackagePath] {
    (1..<max(names.count, 1)).map { PackagePath(Array(names.prefix($0))) }
  }

  /// The same folders, and the path itself.
  package var prefixes: [PackagePath] { folders + [self] }

  package func appending(_ name: FileName) -> PackagePath {
    PackagePath(names + [name])
  }

  /// Returns whether this is `other` or beneath it.
  package func isWithin(_ other: PackagePath) -> Bool {
    names.starts(with: other.names)
  }

  /// The path as a string that keeps its bytes.
  package var string: String {
    names.count == 1 ? names[0].string : names.map(\.string).joined(separator: "/")
  }
  /// The path for people.
  package var display: String { names.map(\.display).joined(separator: "/") }
  /// The path as bytes for the file system.
  package var bytes: [UInt8] {
    names.count == 1 ? names[0].bytes : Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")]))
  }
}

extension PackagePath: Comparable {
  /// Compares the bytes of each name in turn: a folder stands directly before its children.
  package static func < (left: PackagePath, right: PackagePath) -> Bool {
    if left.names.count == 1 && right.names.count == 1 { return left.names[0] < right.names[0] }
    return left.names.lexicographicallyPrecedes(right.names)
  }
}

extension PackagePath: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value)
  }
}
