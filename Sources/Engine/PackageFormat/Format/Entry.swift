package import DurableIO

/// A file, a link or a folder of a package in one state.
package struct Entry: Sendable, Hashable {
  /// The inode number of a node that is not made, or that is not known.
  package static let noInode: UInt64 = 0

  package var kind: FileKind
  package var mode: UInt16
  package var size: UInt64 = 0
  package var modified: FileTime
  /// The hash of its content; nil for a folder, or if it is not known.
  package var content: ContentHash?
  /// Whether a save kept its content for versions; false for a folder, and for lost content.
  package var isKept = false
  /// The inode number, which spares reading the node.
  package var inode = noInode

  package init(_ kind: FileKind, _ attributes: NodeAttributes, size: UInt64 = 0, content: ContentHash? = nil)
  {
    (self.kind, self.size, self.content) = (kind, size, content)
    mode = attributes.mode
    modified = attributes.modified ?? .unknown
  }

  /// Makes the entry of a node on disk.
  package init(_ status: FileStatus, content: ContentHash? = nil) {
    let isFolder = status.kind == .directory
    self.init(
      status.kind, NodeAttributes(status), size: isFolder ? 0 : status.size, content: isFolder ? nil : content
    )
    inode = status.identity.inode
  }

  /// Makes the entry of a child as a save noted it.
  package init(_ row: NotedChild) {
    let isFile = row.child.kind == .file
    kind = row.child.kind
    mode = isFile && !row.child.isExecutable ? 0o644 : 0o755
    (size, modified) = (row.child.size, row.modified)
    content = row.child.kind == .directory ? nil : row.child.content
  }

  /// Makes an entry that another program changed or removed before a save could keep it: only another file may have its
  /// bytes.
  ///
  /// - Parameter row: its noted row; nil if nothing is known of it.
  package init(unkept row: NotedChild?) {
    if let row { self.init(row) } else { self.init(.file, .newLink()) }
  }

  /// The name of its file or link among the kept ones; nil if no save kept it.
  package var kept: FileName? { isKept ? content.map { FileName(keeping: $0, kind) } : nil }

  /// Returns the child at that path as a save notes it; nil for a file or link with an unknown content.
  package func noted(at path: PackagePath) -> NotedChild? {
    guard let content = kind == .directory ? .empty : content else { return nil }
    return NotedChild(
      child: ChildSummary(path: path, kind: kind, mode: mode, size: size, content: content),
      modified: kind == .file ? modified : .unknown)
  }

  /// Returns whether the status is of that node, unchanged.
  package func isSame(as status: FileStatus) -> Bool {
    kind == status.kind && inode == status.identity.inode && size == status.size
      && modified == status.modified
  }
}

extension FileTime {
  /// A time that says nothing.
  package static let unknown = FileTime(seconds: 0, nanoseconds: 0)
}

// MARK: - As bytes

extension Entry {
  private enum Flag {
    static let content: UInt8 = 1
    static let kept: UInt8 = 2
    static let inode: UInt8 = 4
  }

  fileprivate func encode(to writer: inout ByteWriter) {
    writer.write(kind.rawValue)
    writer.write(
      (content == nil ? 0 : Flag.content) | (isKept ? Flag.kept : 0)
        | (inode == Self.noInode ? 0 : Flag.inode))
    writer.write(mode)
    writer.write(size)
    writer.write(modified)
    if let content { writer.write(content) }
    if inode != Self.noInode { writer.write(inode) }
  }

  fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    kind = try reader.readKind()
    let flags = try reader.read(UInt8.self)
    mode = try reader.read(UInt16.self) & 0o7777
    size = try reader.read()
    modified = try reader.readTime()
    if flags & Flag.content != 0 { content = ContentHash(bytes: try reader.read(count: ContentHash.count)) }
    isKept = flags & Flag.kept != 0
    if flags & Flag.inode != 0 { inode = try reader.read() }
  }
}

extension ByteWriter {
  /// Writes an entry, or that there is none.
  package mutating func write(_ entry: Entry?) {
    if let entry { entry.encode(to: &self) } else { write(UInt8(0)) }
  }
}

extension ByteReader {
  package mutating func readEntry() throws(Damage) -> Entry? {
    var rest = self
    if try rest.read(UInt8.self) != 0 { return try Entry(&self) }
    self = rest
    return nil
  }
}
