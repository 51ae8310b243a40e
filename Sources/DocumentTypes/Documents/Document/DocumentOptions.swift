public import FilePackages
public import FoundationEssentials

/// The options of a document.
@dynamicMemberLookup
public struct DocumentOptions<Content: DocumentContent>: Sendable {
  /// The options of every open document, such as `autosave` and `errorHandler`.
  public var behaviour = DocumentBehaviour()
  /// The way to save packages. By default a save returns when it is durable and other programs see it. With
  /// `.returnsAtCommit` it returns as soon as it is durable.
  ///
  /// An autosave for which no caller waits ends at the commit. Other programs see it a moment later.
  public var saving: PackageStore.SavingOptions = []
  /// Whether each save keeps the version that it replaces, as long as the document's retention policy says.
  ///
  /// So there is a version for each call of `save()` and for each pause of editing. Flat files and packages without
  /// metadata have no versions. If a document has a history already, each save keeps a version in any case.
  public var keepsHistory = true
  /// Whether a new package gets a `Metadata.plist`, which only a content with `seesMetadata` sees as a child.
  ///
  /// Without it the document has no identifier and no versions, and its name alone gives its type. A package that has
  /// the file does not lose it. If the content writes a child of that name, the package gets no metadata.
  public var writesMetadata = true
  /// The limits of undoing.
  public var undo = UndoPolicy()
  /// The folder of recovery copies; nil for none. Without it, edits that cannot be saved are in memory only.
  public var recoveryFolder: URL? = RecoveryCopy.defaultFolder
  /// The function that merges this document's edits with another program's changes. If it is nil, a `MergeableContent`
  /// merges itself, and any other content is always in conflict.
  public var merge: (@Sendable (DocumentMerge<Content>) throws -> Content?)?

  /// Makes the usual options.
  public init() {}

  /// Makes options from the usual ones, which the function changes: `DocumentOptions { $0.autosave = nil }`.
  public init(_ configure: (inout Self) throws -> Void) rethrows {
    try configure(&self)
  }

  /// An option of every open document.
  public subscript<Value>(dynamicMember member: WritableKeyPath<DocumentBehaviour, Value>) -> Value {
    get { behaviour[keyPath: member] }
    set { behaviour[keyPath: member] = newValue }
  }

  /// The options of each save of a package.
  var savingOptions: PackageStore.SavingOptions { keepsHistory ? saving.union(.keepsHistory) : saving }
}

/// The three states of a content that a merge combines.
public struct DocumentMerge<Content: DocumentContent>: Sendable {
  /// The content that both sides began with.
  public var base: Content
  /// The content with this document's edits.
  public var ours: Content
  /// The content with the other program's changes.
  public var theirs: Content
  /// The children that the other program changed, made or removed.
  public var paths: [String]

  /// Makes the input of a merge, also for tests.
  public init(base: Content, ours: Content, theirs: Content, paths: [String]) {
    (self.base, self.ours, self.theirs, self.paths) = (base, ours, theirs, paths)
  }
}
