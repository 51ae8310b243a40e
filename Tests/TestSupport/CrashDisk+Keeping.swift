package import DurableIO
import SystemPackage

// Syncs and locks.
extension CrashDisk {
  // MARK: Keeping

  package func synchronize(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try synchronize(file.number, isOfData: false)
  }

  package func synchronizeData(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try synchronize(file.number, isOfData: true)
  }

  private func synchronize(_ number: Int32, isOfData: Bool) throws(SystemError) {
    let operation: DiskOperation = isOfData ? .synchronizeData : .synchronize
    try change(operation, isOfData ? "fdatasync" : "fsync") { (state) throws(Errno) in
      let node = try state.node(number)
      let point = try state.syncPoint(of: node, isOfData: isOfData)
      state.syncPoints.append(point)
      switch mistake(point) {
      case nil: state.synchronize(node, isOfData: isOfData)
      case .leftOut: break
      case .late: state.late.append(State.Late(node: node, isOfData: isOfData))
      }
    }
  }

  /// Has no effect that a power cut would show: bytes without a sync may be durable anyway.
  package func startWriting(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    let number = file.number
    try call("sync_file_range") { (state) throws(Errno) in _ = try state.node(number) }
  }

  // MARK: Locks

  package func lock(_ directory: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool {
    let number = directory.number
    return try call("flock") { (state) throws(Errno) -> Bool in
      let place = State.LockPlace(node: try state.node(number), byte: nil)
      if state.lock(place, mode, for: number) { return true }
      // A change of mode releases the old lock first, and does not restore it.
      state.unlock(place, for: number)
      return false
    }
  }

  package func lock(byte: UInt64, of file: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError)
    -> Bool
  {
    let number = file.number
    return try call("fcntl F_OFD_SETLK") { (state) throws(Errno) -> Bool in
      let file = try state.file(number)
      guard byte <= UInt64(Int64.max) else { throw .invalidArgument }
      if mode == .exclusive, !file.isForWriting { throw .badFileDescriptor }
      return state.lock(State.LockPlace(node: file.node, byte: byte), mode, for: number)
    }
  }
}

extension CrashDisk.State {
  mutating func synchronize(_ node: Node.Number, isOfData: Bool) {
    if isOfData {
      volume.synchronizeData(node)
    } else {
      volume.synchronize(node)
    }
    volume.dropNameless(except: openFiles.values.map(\.node))
  }

  /// Runs the late syncs that are due, before a change other than a sync.
  ///
  /// A late sync is due after one such change, so that the power can go between the change and the sync.
  mutating func carryOutLate() {
    for synchronization in late where synchronization.isDue {
      synchronize(synchronization.node, isOfData: synchronization.isOfData)
    }
    late.removeAll(where: \.isDue)
    for index in late.indices { late[index].isDue = true }
  }

  /// Changes the lock of one descriptor; does nothing if a lock of another descriptor conflicts.
  fileprivate mutating func lock(_ place: LockPlace, _ mode: LockMode, for number: Int32) -> Bool {
    let others = locks[place, default: [:]].filter { $0.key != number }.values
    switch mode {
    case .none:
      unlock(place, for: number)
      return true
    case .shared: if others.contains(.exclusive) { return false }
    case .exclusive: if !others.isEmpty { return false }
    }
    locks[place, default: [:]][number] = mode
    return true
  }

  fileprivate mutating func unlock(_ place: LockPlace, for number: Int32) {
    locks[place]?[number] = nil
    if locks[place]?.isEmpty == true { locks[place] = nil }
  }

  mutating func unlockAll(of node: Node.Number, heldBy number: Int32) {
    for place in locks.keys where place.node == node { unlock(place, for: number) }
  }
}
