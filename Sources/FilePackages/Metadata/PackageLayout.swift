package import DurableIO

/// The names that this library uses for itself in a package.
package enum PackageLayout {
  /// The version and metadata plist.
  package static let metadata: FileName = "Metadata.plist"
  /// The hidden folder.
  package static let hidden: FileName = ".docpkg"

  /// Whether a place is the library's own, and no child of the document.
  package static func isOurs(_ path: PackagePath) -> Bool {
    path.names.first == hidden || path.names == [metadata]
  }
}
