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

extension Document {
  /// Takes back the last edit or the last closed group within the open group; false if there is none.
  ///
  /// - Throws: as `DocumentUndo.undoNestedGroup()`.
  @available(*, deprecated, renamed: "undo.undoNestedGroup()")
  @discardableResult
  public func undoNestedGroup() throws(DocumentError) -> Bool { try goBackInGroup() }

  /// Begins a group, whose edits are undone at once.
  @available(*, deprecated, renamed: "undo.beginUndoGrouping()")
  public func beginUndoGrouping() { beginGroup() }

  /// Ends the innermost group.
  ///
  /// - Throws: `undoGrouping` if no group is open.
  @available(*, deprecated, renamed: "undo.endUndoGrouping()")
  public func endUndoGrouping() throws(DocumentError) { try endGroup() }

  /// Calls `body`, and makes one group of its edits.
  @available(*, deprecated, renamed: "undo.group(_:_:)")
  public func undoGroup<Result>(
    _ actionName: String = "", _ body: @Sendable (isolated Document) throws -> Result
  ) rethrows -> Result {
    try group(actionName, body)
  }

  /// Whether an edit can be undone.
  @available(*, deprecated, renamed: "undo.canUndo")
  public var canUndo: Bool { history.state.canUndo }

  /// Whether an edit can be redone.
  @available(*, deprecated, renamed: "undo.canRedo")
  public var canRedo: Bool { history.state.canRedo }

  /// The number of groups that can be undone.
  @available(*, deprecated, renamed: "undo.undoCount")
  public var undoCount: Int { history.state.undoCount }

  /// The number of groups that can be redone.
  @available(*, deprecated, renamed: "undo.redoCount")
  public var redoCount: Int { history.state.redoCount }

  /// The name of the edit that an undo would take back.
  @available(*, deprecated, renamed: "undo.undoActionName")
  public var undoActionName: String { history.state.undoActionName }

  /// The name of the edit that a redo would bring back.
  @available(*, deprecated, renamed: "undo.redoActionName")
  public var redoActionName: String { history.state.redoActionName }

  /// `Undo`, with the name of the edit.
  @available(*, deprecated, renamed: "undo.undoMenuItemTitle")
  public var undoMenuItemTitle: String { history.state.undoMenuItemTitle }

  /// `Redo`, with the name of the edit.
  @available(*, deprecated, renamed: "undo.redoMenuItemTitle")
  public var redoMenuItemTitle: String { history.state.redoMenuItemTitle }

  /// Whether the edit that an undo would take back is discardable.
  @available(*, deprecated, renamed: "undo.undoActionIsDiscardable")
  public var undoActionIsDiscardable: Bool { history.state.undoActionIsDiscardable }

  /// Whether the edit that a redo would bring back is discardable.
  @available(*, deprecated, renamed: "undo.redoActionIsDiscardable")
  public var redoActionIsDiscardable: Bool { history.state.redoActionIsDiscardable }

  /// The number of open groups.
  @available(*, deprecated, renamed: "undo.groupingLevel")
  public var groupingLevel: Int { history.state.groupingLevel }

  /// The largest number of groups that can be undone.
  @available(*, deprecated, renamed: "undo.levelsOfUndo")
  public var levelsOfUndo: Int { history.state.levelsOfUndo }

  /// Whether the document remembers edits.
  @available(*, deprecated, renamed: "undo.isUndoRegistrationEnabled")
  public var isUndoRegistrationEnabled: Bool { history.state.isUndoRegistrationEnabled }

  /// Names the open group, or the last edit if no group is open.
  @available(*, deprecated, renamed: "undo.setActionName(_:)")
  public func setActionName(_ actionName: String) { history.setName(actionName) }

  /// Marks the last edit as one that need not be saved for its own sake.
  @available(*, deprecated, renamed: "undo.setActionIsDiscardable(_:)")
  public func setActionIsDiscardable(_ isDiscardable: Bool) { history.setDiscardable(isDiscardable) }

  /// Sets the largest number of groups that can be undone.
  @available(*, deprecated, renamed: "undo.setLevelsOfUndo(_:)")
  public func setLevelsOfUndo(_ levels: Int) { history.policy.levels = max(0, levels) }

  /// Remembers no edits until `enableUndoRegistration()`.
  @available(*, deprecated, renamed: "undo.disableUndoRegistration()")
  public func disableUndoRegistration() { history.setRegistration(isEnabled: false) }

  /// Takes back one `disableUndoRegistration()`.
  @available(*, deprecated, renamed: "undo.enableUndoRegistration()")
  public func enableUndoRegistration() { history.setRegistration(isEnabled: true) }

  /// Forgets all undo and redo steps and all open groups.
  @available(*, deprecated, renamed: "undo.removeAllActions()")
  public func removeAllActions() { history.removeAll() }

  /// Returns the versions in conflict with the document.
  ///
  /// - Throws: as `conflictVersions()`.
  @available(*, deprecated, renamed: "conflictVersions()")
  public func conflicts() async throws(DocumentError) -> [ConflictVersion] { try await conflictVersions() }

  /// Returns the folders that hold the conflict versions.
  ///
  /// - Throws: as `conflictVersionURLs()`.
  @available(*, deprecated, renamed: "conflictVersionURLs()")
  @_disfavoredOverload
  public func conflictVersions() async throws(DocumentError) -> [URL] { try await conflictVersionURLs() }
}

extension FolderProblem {
  /// The folder.
  @available(*, deprecated, renamed: "url")
  public var folder: URL { url }
}
