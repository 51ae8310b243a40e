internal import Glibc
internal import SystemPackage

/// One inotify(7) descriptor: what the kernel tells of the files and folders it is asked to watch.
///
/// A watch belongs to a node, not to a path: it moves with the node, and there is one for a node however often
/// it is asked for. The descriptor takes watches and is read from any thread.
package struct Inotify: ~Copyable, Sendable {
  /// The descriptor, for whoever waits until there is something to read.
  package let number: Int32

  private init(owning number: Int32) { self.number = number }

  /// inotify_init1(2).
  ///
  /// - Throws: EMFILE where this user has as many descriptors of this kind as `fs.inotify.max_user_instances`
  ///   allows, or this process as many as it may have of any kind.
  package static func open() throws(SystemError) -> Inotify {
    Inotify(owning: try repeated("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) })
  }

  deinit { _ = close(number) }

  /// What happened, or what is to be told: inotify(7)'s bits.
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
    /// The watch is gone, because it was removed or its node was.
    package static let ended = Mask(IN_IGNORED)
    /// It is about a directory.
    package static let isDirectory = Mask(IN_ISDIR)
    /// The queue was full and events were dropped, of any watch.
    package static let overflow = Mask(IN_Q_OVERFLOW)
    package static let unmounted = Mask(IN_UNMOUNT)
  }

  /// One thing that happened.
  package struct Event: Hashable, Sendable {
    /// -1 for an overflow, which is about all of them.
    package var watch: Int32
    package var mask: Mask
    /// The same number for the two ends of one rename; otherwise 0.
    package var cookie: UInt32
    /// The entry of the watched directory; nil when it is about the watched node itself.
    package var name: FileName?
  }

  /// Watches an open file or directory, which need not stay open: inotify_add_watch(2), by way of
  /// `/proc/self/fd`, so that it is this very node and nothing that meanwhile took its name. Where the node is
  /// watched already, these events are added to those that are told, and the number is the same.
  ///
  /// - Throws: ENOSPC where this user has as many watches as `fs.inotify.max_user_watches` allows; EACCES for
  ///   a node that may not be read; ENOENT where `/proc` is not mounted.
  package func watch(_ node: borrowing OwnedDescriptor, for events: Mask) throws(SystemError) -> Int32 {
    let path = "/proc/self/fd/\(node.number)"
    let mask = events.rawValue | UInt32(IN_MASK_ADD) | UInt32(IN_EXCL_UNLINK)
    return try repeated("inotify_add_watch") { inotify_add_watch(number, path, mask) }
  }

  /// Watches a directory within an open one, which costs one call less than opening it. A symbolic link is not
  /// followed; whether the name still leads to the same node is the caller's to look at, afterwards.
  ///
  /// - Throws: as `watch(_:for:)`; ENOTDIR for what is no directory.
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

  /// Ends a watch: inotify_rm_watch(2). One that has ended by itself is no error.
  package func remove(_ watch: Int32) {
    _ = inotify_rm_watch(number, watch)
  }

  /// What happened since the last call, in order, as much as the buffer holds; empty when there is nothing
  /// more: read(2). Never waits.
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
      // int wd; uint32_t mask, cookie, len; then the name, filled up with NULs.
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
