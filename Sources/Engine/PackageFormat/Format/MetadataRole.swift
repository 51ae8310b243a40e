/// The role of `Metadata.plist` in the tree of a package.
package enum MetadataRole: Sendable {
  /// It stands for the package's metadata. A save takes the application's values from it.
  case values
  /// It stands for the metadata, and the accessors by key leave it out. Saves and accessors by path find it.
  case hidden
  /// It is a child as any other, which an application or another program wrote.
  case child
}
