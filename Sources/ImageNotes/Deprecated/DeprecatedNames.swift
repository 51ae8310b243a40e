import Documents

// Names of version 0.1.0. Each forwards to the name that replaces it.

extension ImageHeader.Format {
  /// The identifier of the format's type.
  @available(*, deprecated, renamed: "contentType.identifier")
  public var uniformTypeIdentifier: String { contentType.identifier }
}
