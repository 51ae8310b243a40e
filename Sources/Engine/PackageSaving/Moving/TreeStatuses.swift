import DurableIO
import FileTrees
import PackageFormat

/// The statuses of a file, or of a directory and all its children, at one moment.
struct TreeStatuses {
  private var nodes: [PackagePath: FileStatus] = [:]

  init(
    _ name: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) {
    try add(name, at: .root, in: folder, on: disk)
  }

  private mutating func add(
    _ name: FileName, at path: PackagePath, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) {
    let status = try disk.status(of: name, in: folder)
    nodes[path] = status
    guard status.kind == .directory else { return }
    let directory = try disk.openDirectory(name, in: folder)
    let listing = try disk.list(directory)
    for position in 0..<listing.count {
      let child = listing.name(at: position)
      try add(child, at: path.appending(child), in: directory, on: disk)
    }
  }

  /// Returns whether both are of the same nodes with the same contents.
  func hasSameContents(as other: TreeStatuses) -> Bool {
    nodes.count == other.nodes.count
      && nodes.allSatisfy { path, status in
        guard let other = other.nodes[path], other.kind == status.kind else { return false }
        return status.identity.hasSameContents(as: other.identity)
      }
  }
}
