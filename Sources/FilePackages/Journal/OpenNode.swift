import DurableIO

/// An open file or directory that several can hold on to.
final class OpenNode: Sendable {
  let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
}

/// Folders that stay open while a state is made or published, as many as a process can well have open.
final class OpenFolders {
  private(set) var open: [PackagePath: OpenNode] = [:]

  func keep(_ folder: OpenNode, at path: PackagePath) {
    if open.count < 64 { open[path] = folder }
  }
}
