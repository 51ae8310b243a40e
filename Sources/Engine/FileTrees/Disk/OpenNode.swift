package import DurableIO
package import PackageFormat

/// An open file or directory that several owners can hold.
package final class OpenNode: Sendable {
  package let descriptor: OwnedDescriptor

  package init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
}

/// The folders of a package that stay open while the library makes or publishes a state, at most 64.
package final class OpenFolders {
  private let root: OpenNode
  private let disk: any Disk
  private var open: [PackagePath: OpenNode] = [:]

  package init(in root: OpenNode, on disk: any Disk) { (self.root, self.disk) = (root, disk) }

  /// Returns the folder at a path, opened name by name.
  package func folder(_ path: PackagePath) throws(SystemError) -> OpenNode {
    if path.isRoot { return root }
    if let known = open[path] { return known }
    var folder = root
    for name in path.names { folder = OpenNode(try disk.openDirectory(name, in: folder.descriptor)) }
    if open.count < 64 { open[path] = folder }
    return folder
  }
}
