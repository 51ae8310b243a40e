import FilePackages
package import FoundationEssentials

/// A content that lost against another one, until a user resolves the conflict.
package struct LostVersion: Sendable, Hashable {
  package var root: TreeRoot
  /// The content from which it was made; nil if the container may not have it. The children that differ from it are
  /// the conflict.
  package var origin: TreeRoot?
  /// The name of the device that made it.
  package var deviceName: String
  package var date: Date

  package init(root: TreeRoot, origin: TreeRoot?, deviceName: String, date: Date) {
    (self.root, self.origin, self.deviceName, self.date) = (root, origin, deviceName, date)
  }

  /// The hash of both roots. So a merge that is made again makes the same conflict.
  package var id: BlobName { BlobName(of: Data(root.bytes + (origin?.bytes ?? []))) }
}
