internal import Glibc
internal import SystemPackage

/// One inotify(7) descriptor: the kernel's events for watched files and folders.
///
/// A watch belongs to a node, not to a path, and moves with the node. A node has one watch, even after several
/// requests. Any thread may add watches and read events.
package struct Inotify: ~Copyable, Sendable {
  /// The descriptor, for a caller that waits for events.
  package let number: Int32

  private init(owning number: Int32) { self.number = number }

  /// Opens a descriptor: inotify_init1(2).
  ///
  /// - Throws: EMFILE if this user has all the inotify descriptors that `fs.inotify.max_user_instances` allows, or this
  ///   process all the descriptors that it may have.
  package static func open() throws(SystemError) -> Inotify {
    Inotify(owning: try repeated("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) })
  }

  deinit { _ = close(number) }

  /// Kinds of events: the bits of inotify(7).
  package struct Mask: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    fileprivate init(_ bits: some BinaryInteger) { rawValue = UInt32(truncatingIfNeeded: bits) }

    package static let attributes = Mask(IN_ATTRIB)
    package static let closedAfterWriting = Mask(IN_CLOSE_WRITE)
    package static let created = Mask(IN_CREATE)
    package static let deleted = Mask(IN_DELETE)
    package static let deletedItself = Mask(IN_DELETE_SELF)
    package static let modified = Mask(IN_MODIFY)
    package static let movedItself = Mask(IN_MOVE_SELF)
    package static let movedFrom = Mask(IN_MOVED_FROM)
    package static let movedTo = Mask(IN_MOVED_TO)
    /// The watch has ended, because it or its node was removed.
    package static let ended = Mask(IN_IGNORED)
    /// The event concerns a directory.
    package static let isDirectory = Mask(IN_ISDIR)
    /// The queue was full, and the kernel dropped events of some watches.
    package static let overflow = Mask(IN_Q_OVERFLOW)
    package static let unmounted = Mask(IN_UNMOUNT)
  }

  /// One event.
  package struct Event: Hashable, Sendable {
    /// The number of the watch; -1 for an overflow, which concerns all of them.
    package var watch: Int32
    package var mask: Mask
    /// The same number for the two ends of one rename; otherwise 0.
    package var cookie: UInt32
    /// The entry of the watched directory; nil if the event concerns the watched node itself.
    package var name: FileName?
  }

  /// Watches an open file or directory, which may be closed afterwards: inotify_add_watch(2) through `/proc/self/fd`.
  ///
  /// So the watch is for this very node, not for one that has taken its name. If the node has a watch already, the call
  /// adds these events, and the number is the same.
  ///
  /// - Throws: ENOSPC if this user has all the watches that `fs.inotify.max_user_watches` allows; EACCES for an
  ///   unreadable node; ENOENT if `/proc` is not mounted.
  package func watch(_ node: borrowing OwnedDescriptor, for events: Mask) throws(SystemError) -> Int32 {
    let path = "/proc/self/fd/\(node.number)"
    let mask = events.rawValue | UInt32(IN_MASK_ADD) | UInt32(IN_EXCL_UNLINK)
    return try repeated("inotify_add_watch") { inotify_add_watch(number, path, mask) }
  }

  /// Watches a directory within an open one, with one call less than with an open of it.
  ///
  /// It does not follow a symbolic link. The caller checks afterwards whether the name still leads to the same node.
  ///
  /// - Throws: as `watch(_:for:)`; ENOTDIR if the entry is not a directory.
  package func watch(
    _ name: FileName, in directory: borrowing OwnedDescriptor, for events: Mask
  ) throws(SystemError) -> Int32 {
    switch name.problem {
    case .dots, .slash, .nul, .empty:
      throw SystemError("inotify_add_watch", name, code: .invalidArgument)
    case .tooLong, nil: break
    }
    let path = Array("/proc/self/fd/\(directory.number)/".utf8) + name.bytes + [0]
    let mask =
      events.rawValue | UInt32(IN_MASK_ADD) | UInt32(IN_EXCL_UNLINK) | UInt32(IN_ONLYDIR)
      | UInt32(IN_DONT_FOLLOW)
    return try repeated("inotify_add_watch", name) {
      path.withUnsafeBufferPointer { path in
        path.withMemoryRebound(to: CChar.self) { text in
          text.baseAddress.map { inotify_add_watch(number, $0, mask) } ?? -1
        }
      }
    }
  }

  /// Ends a watch: inotify_rm_watch(2). A watch that has already ended is not an error.
  package func remove(_ watch: Int32) {
    _ = inotify_rm_watch(number, watch)
  }

  /// Returns the events since the last call, in order, as many as the buffer holds: read(2). Empty if there are none.
  /// Never waits.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> [Event] {
    let count: Int
    do {
      count = try repeated("read") { Glibc.read(number, buffer.baseAddress, buffer.count) }
    } catch  where error.code == .wouldBlock || error.code == .resourceTemporarilyUnavailable {
      return []
    }
    return Self.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }

  private static func events(in bytes: UnsafeRawBufferPointer) -> [Event] {
    var events: [Event] = []
    var position = 0
    let headerSize = MemoryLayout<inotify_event>.size
    while position + headerSize <= bytes.count {
      func field<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
        bytes.loadUnaligned(fromByteOffset: position + offset, as: type)
      }
      // The record is int wd; uint32_t mask, cookie, len; then the name, padded with NULs.
      let length = Int(field(12, UInt32.self))
      let name = bytes[(position + headerSize)...].prefix(length).prefix { $0 != 0 }
      events.append(
        Event(
          watch: field(0, Int32.self), mask: Mask(rawValue: field(4, UInt32.self)),
          cookie: field(8, UInt32.self), name: name.isEmpty ? nil : FileName(bytes: Array(name))))
      position += headerSize + length
    }
    return events
  }
}
