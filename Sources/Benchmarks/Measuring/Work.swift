/// What is done, the same for all who do it in turn.
package struct Work: Sendable, Hashable, Encodable {
  /// The benchmark: `save`, `open`, `export`, `documents`, `replay` or `start`.
  package var benchmark: String
  /// The package's children, or the documents.
  package var children: Int?
  /// How many of them each save is about.
  package var changed: Int?
  /// Bytes of each child.
  package var size: Int?
  /// What it is done with, where numbers do not say it, such as `zip of text`.
  package var subject: String?
  /// Whether what is asked for to be kept is kept; otherwise every flush is left out.
  package var flushes = true
  /// By how much each flush was slowed down, in seconds.
  package var flushDelay = 0.0
  /// Whether the system had to read everything from the medium.
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
