package import DurableIO

/// An entry of the content that was here, with the file that had it.
package struct KnownChild: Sendable, Hashable {
  /// The entry as the container has it.
  package var entry: TreeEntry
  /// The file's status when it had exactly this content; nil if only its bytes can tell.
  package var identity: FileIdentity?

  package init(_ entry: TreeEntry, _ identity: FileIdentity? = nil) {
    (self.entry, self.identity) = (entry, identity)
  }
}
