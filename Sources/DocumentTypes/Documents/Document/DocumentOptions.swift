public import FilePackages
public import FoundationEssentials

/// The behaviour of a document.
public struct DocumentOptions<Content: DocumentContent>: Sendable {
  /// The times at which the document saves by itself; nil for never.
  public var autosave: AutosavePolicy?
  /// The way to save packages. By default a save returns as soon as it is durable, and other programs see it some
  /// hundredths of a second later.
  public var saving: PackageStore.SavingOptions
  /// Whether each save keeps the version that it replaces, as long as the document's retention policy says.
  ///
  /// So there is a version for each call of `save()` and for each pause of editing. Flat files and packages without
  /// metadata have no versions. If a document has a history already, each save keeps a version in any case.
  public var keepsHistory: Bool
  /// Whether a new package gets a `Metadata.plist`, which only a content with `seesMetadata` meets as a child.
  ///
  /// Without it the document has no identifier and no versions, and its name alone gives its type. A package that has
  /// the file keeps it. A content that writes a child of that name gets no metadata.
  public var writesMetadata: Bool
  /// The program that saves, as the metadata of packages name it.
  public var program: SavingProgram
  /// The limits of undoing.
  public var undo: UndoPolicy
  /// The clock of autosave and of the grouping of edits.
  public var clock: any Clock<Duration>
  /// The folder of recovery copies; nil for none. Without it, edits that cannot be saved are in memory only.
  public var recoveryFolder: URL?
  /// The function that gets each error, also one that no caller waits for, such as that of an autosave.
  public var errorHandler: (@Sendable (DocumentError) -> Void)?
  /// The function that gets each event of the document, in order, before the call that caused it returns. The document
  /// waits meanwhile.
  public var eventHandler: (@Sendable (DocumentEvent) -> Void)?
  /// Whether the document takes in other programs' changes as they happen. Otherwise it does so when it is told, and
  /// before it writes over anything.
  public var watchesDisk: Bool
  /// Whether the document takes part in coordination, in this process and with other processes.
  ///
  /// It saves before another program reads, and waits while one reads or writes. If no other program takes part, that
  /// costs next to nothing.
  public var isCoordinated: Bool
  /// The longest wait for other programs. After it the document reads or writes all the same, and tells the error
  /// handler.
  public var coordinationDeadline: Duration
  /// The place that brings the content here before the document is read, such as a container; nil for none.
  public var provider: (any DocumentProvider)?
  /// The function that merges the edits here with another program's changes. If it is nil, a `MergeableContent` merges
  /// itself, and any other content is always in conflict.
  public var merge: (@Sendable (DocumentMerge<Content>) throws -> Content?)?

  /// Makes options; without arguments the usual ones.
  public init(
    autosave: AutosavePolicy? = AutosavePolicy(),
    saving: PackageStore.SavingOptions = .returnsAtCommit,
    keepsHistory: Bool = true,
    writesMetadata: Bool = true,
    program: SavingProgram = .current,
    undo: UndoPolicy = UndoPolicy(),
    clock: any Clock<Duration> = ContinuousClock(),
    recoveryFolder: URL? = RecoveryCopy.defaultFolder,
    errorHandler: (@Sendable (DocumentError) -> Void)? = nil,
    eventHandler: (@Sendable (DocumentEvent) -> Void)? = nil,
    watchesDisk: Bool = true,
    isCoordinated: Bool = true,
    coordinationDeadline: Duration = .seconds(10),
    provider: (any DocumentProvider)? = nil,
    merge: (@Sendable (DocumentMerge<Content>) throws -> Content?)? = nil
  ) {
    self.autosave = autosave
    self.saving = saving
    self.keepsHistory = keepsHistory
    self.writesMetadata = writesMetadata
    self.program = program
    self.undo = undo
    self.clock = clock
    self.recoveryFolder = recoveryFolder
    self.errorHandler = errorHandler
    self.eventHandler = eventHandler
    self.watchesDisk = watchesDisk
    self.isCoordinated = isCoordinated
    self.coordinationDeadline = coordinationDeadline
    self.provider = provider
    self.merge = merge
  }

  /// The options of each save of a package.
  var savingOptions: PackageStore.SavingOptions { keepsHistory ? saving.union(.keepsHistory) : saving }
}

/// Three states of a content that a merge makes one.
public struct DocumentMerge<Content: DocumentContent>: Sendable {
  /// The content that both sides began with.
  public var base: Content
  /// The content with the edits here.
  public var ours: Content
  /// The content with the other program's changes.
  public var theirs: Content
  /// The children that the other program changed, made or removed.
  public var paths: [String]

  /// Makes a case to merge, also for tests.
  public init(base: Content, ours: Content, theirs: Content, paths: [String]) {
    (self.base, self.ours, self.theirs, self.paths) = (base, ours, theirs, paths)
  }
}
