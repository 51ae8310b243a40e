public import FoundationEssentials

// Names of version 0.1.0. Each forwards to the name that replaces it.

extension ArchivedEntry {
  /// The date of the last change.
  @available(*, deprecated, renamed: "modificationDate")
  public var modified: Date? {
    get { modificationDate }
    set { modificationDate = newValue }
  }

  /// The destination of a link, for people.
  @available(*, deprecated, renamed: "linkDestination")
  public var target: String? {
    get { linkDestination }
    set { linkDestination = newValue }
  }
}
