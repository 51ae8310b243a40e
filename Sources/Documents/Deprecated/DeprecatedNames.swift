public import FoundationEssentials

// Names of version 0.1.0. Each forwards to the name that replaces it.

extension DocumentItem {
  /// The date of the last change of the content.
  @available(*, deprecated, renamed: "modificationDate")
  public var contentChangeDate: Date { modificationDate }
}

extension StoredDocument {
  /// The date of the last change of the content.
  @available(*, deprecated, renamed: "modificationDate")
  public var contentChangeDate: Date {
    get { modificationDate }
    set { modificationDate = newValue }
  }

  /// Describes a document at a place.
  @available(
    *, deprecated, renamed: "init(name:contentType:modificationDate:creationDate:size:state:)"
  )
  public init(
    name: String, contentType: UTType, contentChangeDate: Date, creationDate: Date? = nil,
    size: UInt64? = nil, state: State = .current
  ) {
    self.init(
      name: name, contentType: contentType, modificationDate: contentChangeDate, creationDate: creationDate,
      size: size, state: state)
  }
}

extension DocumentConflict {
  /// The date of the last change of the present content.
  @available(*, deprecated, renamed: "presentModificationDate")
  public var presentDate: Date? {
    get { presentModificationDate }
    set { presentModificationDate = newValue }
  }
}

extension RecoveryCopy {
  /// The path that the document had.
  @available(*, deprecated, renamed: "documentURL.path")
  public var document: String { documentURL.path }

  /// The time of the copy.
  @available(*, deprecated, renamed: "modificationDate")
  public var date: Date { modificationDate }
}
