package import DurableIO
package import PackageFormat

/// An open file or directory that several owners can hold.
package final class OpenNode: Sendable {
  package let descriptor: OwnedDescriptor

  package init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
}

/// Folders that stay open while the library makes or publishes a state, at most 64.
package final class OpenFolders {
  package private(set) var open: [PackagePath: OpenNode] = [:]

  package func hold(_ folder: OpenNode, at path: PackagePath) {
    if open.count < 64 { open[path] = folder }
  }

  package init() {}
}
