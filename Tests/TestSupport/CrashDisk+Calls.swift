import DurableIO
import Synchronization
import SystemPackage

extension CrashDisk {
  /// The umask of every process on this disk.
  static let mask: UInt16 = 0o022

  /// Makes one call; an error of `body` becomes the call's error.
  func call<Result: Sendable>(
    _ call: String, _ name: FileName? = nil, _ body: (inout State) throws(Errno) -> Result
  ) throws(SystemError) -> Result {
    try state.withLock { (state) throws(SystemError) -> Result in
      do throws(Errno) {
        return try body(&state)
      } catch {
        throw SystemError(call, name, code: error)
      }
    }
  }

  /// Makes one call that may change the disk: the power may go before it.
  func change<Result: Sendable>(
    _ operation: DiskOperation, _ call: String, _ name: FileName? = nil,
    _ body: (inout State) throws(Errno) -> Result
  ) throws(SystemError) -> Result {
    try self.call(call, name) { (state) throws(Errno) -> Result in
      state.record(operation, name, options: options)
      if operation != .synchronize && operation != .synchronizeData { state.carryOutLate() }
      return try body(&state)
    }
  }
}

// MARK: - Open files

extension CrashDisk.State {
  mutating func open(_ node: Node.Number, isForWriting: Bool = false) -> Int32 {
    // No number is given twice, so that the use of a descriptor after its end is found.
    let number = nextDescriptor
    nextDescriptor += 1
    openFiles[number] = OpenFile(node: node, isForWriting: isForWriting)
    return number
  }

  func file(_ number: Int32) throws(Errno) -> OpenFile {
    guard let file = openFiles[number] else { throw .badFileDescriptor }
    return file
  }

  func node(_ number: Int32) throws(Errno) -> Node.Number {
    try file(number).node
  }

  func slot(_ name: FileName, _ directory: Int32) throws(Errno) -> Slot {
    let number = try node(directory)
    return Slot(directory: number, name: volume.spelling(of: name, in: number))
  }

  func syncPoint(of number: Node.Number, isOfData: Bool) throws(Errno) -> CrashDisk.SyncPoint {
    let node = try volume.node(number)
    return CrashDisk.SyncPoint(
      number: syncPoints.count, kind: node.kind, name: node.home.name, path: volume.path(of: number),
      isOfData: isOfData)
  }
}
