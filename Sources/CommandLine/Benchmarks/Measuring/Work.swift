/// The work that all trials of a comparison do.
package struct Work: Sendable, Hashable, Encodable {
  /// The benchmark: `save`, `open`, `export`, `documents`, `replay`, `managed`, `cloud` or `start`.
  package var benchmark: String
  /// The number of the package's children, of the documents, or of the database's rows.
  package var children: Int?
  /// The number of children that each save changes.
  package var changed: Int?
  /// Bytes of each child.
  package var size: Int?
  /// The subject of the work if numbers do not give it, such as `zip of text`.
  package var subject: String?
  /// Whether syncs take place; otherwise the disk omits all of them.
  package var flushes = true
  /// The extra time of each flush, in seconds.
  package var flushDelay = 0.0
  /// Whether the system had to read everything from the device.
  package var cold = false

  package init(
    _ benchmark: String, children: Int? = nil, changed: Int? = nil, size: Int? = nil, subject: String? = nil
  ) {
    self.benchmark = benchmark
    self.children = children
    self.changed = changed
    self.size = size
    self.subject = subject
  }
}
