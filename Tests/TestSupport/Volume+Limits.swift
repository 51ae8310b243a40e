import DurableIO
import Synchronization
package import SystemPackage

// The volume refuses names as FAT does, and changes of nodes with a flag of chattr(1).
extension Volume {
  /// Returns the name of an entry that the file system takes this name for, or the name that a new entry gets.
  ///
  /// As on FAT, dots at the end count for nothing, and neither does the case of letters.
  func spelling(of name: FileName, in directory: Node.Number) -> FileName {
    guard limitsNames, let last = name.bytes.lastIndex(where: { $0 != UInt8(ascii: ".") }) else {
      return name
    }
    let short = FileName(bytes: Array(name.bytes[...last]))
    let folded = short.string.lowercased()
    return nodes[directory]?.entries.keys.first { $0.string.lowercased() == folded } ?? short
  }

  func checkNew(_ name: FileName) throws(Errno) {
    guard limitsNames else { return }
    let forbidden = Array(#""*/:<>?\|"#.utf8)
    if name.bytes.last == UInt8(ascii: " ")
      || name.bytes.contains(where: { $0 < 0x20 || forbidden.contains($0) })
    {
      throw .invalidArgument
    }
  }

  /// Refuses to take a node out of a directory, or to put another one in its place.
  func checkRemoval(_ number: Node.Number, from directory: Node.Number) throws(Errno) {
    if try node(number).attributes.isImmutable { throw .notPermitted }
    try checkAddition(to: directory)
  }

  func checkAddition(to directory: Node.Number) throws(Errno) {
    if try node(directory).attributes.isImmutable { throw .notPermitted }
  }
}

extension CrashDisk {
  /// Sets or removes the flag `i` as chattr(1) does, durably.
  package func setImmutable(_ path: FilePath, _ isImmutable: Bool = true) throws {
    let name = path.lastComponent.map(FileName.init) ?? ""
    let parent = path.removingLastComponent()
    try call("ioctl", name) { (state) throws(Errno) in
      let number = try state.volume.existing(Slot(directory: state.volume.directory(at: parent), name: name))
      state.volume.nodes[number]?.attributes.isImmutable = isImmutable
      state.volume.nodes[number]?.keptAttributes.isImmutable = isImmutable
    }
  }

  /// Makes the file system refuse and fold names, as FAT does, from now on.
  package func limitNames() { state.withLock { $0.volume.limitsNames = true } }
}
