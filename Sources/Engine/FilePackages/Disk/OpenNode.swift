package import DurableIO

/// An open file or directory that several owners can hold.
package final class OpenNode: Sendable {
  package let descriptor: OwnedDescriptor

  package init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
}

/// Folders that stay open while the library makes or publishes a state, at most 64.
final class OpenFolders {
  private(set) var open: [PackagePath: OpenNode] = [:]

  func hold(_ folder: OpenNode, at path: PackagePath) {
    if open.count < 64 { open[path] = folder }
  }
}
