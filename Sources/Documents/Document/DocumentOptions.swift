public import FilePackages
public import FoundationEssentials

/// How a document behaves.
public struct DocumentOptions<Content: DocumentContent>: Sendable {
  /// When it saves by itself; nil for never.
  public var autosave: AutosavePolicy? = AutosavePolicy()
  /// How packages are saved. By default a save returns as soon as it survives a power cut, and other programs see it some
  /// hundredths of a second later.
  public var saving: PackageStore.SavingOptions = .returnsAtCommit
  /// Whether a package that is made gets a `Metadata.plist`, which is one of its children for every content that counts
  /// them. Without it the document has no identifier, no versions and no type but its name's. A package that has one
  /// keeps it.
  public var writesMetadata = true
  /// The program that saves, as the metadata of packages name it.
  public var program = SavingProgram.current
  /// How far back edits can be undone.
  public var undo = UndoPolicy()
  /// The clock that autosave and the grouping of edits go by.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// Where recovery copies are kept; nil for none, with which edits that cannot be saved are in memory only.
  public var recoveryFolder: URL? = RecoveryCopy.defaultFolder
  /// Told of each error that nobody is waiting for, such as that of an autosave, and of those that are thrown, too.
  public var errorHandler: (@Sendable (DocumentError) -> Void)?
  /// Told of what happens to the document, in the order in which it happens, and before the call that made it happen
  /// returns. The document waits meanwhile.
  public var eventHandler: (@Sendable (DocumentEvent) -> Void)?
  /// Whether the document takes in what other programs do to it as it happens; otherwise when it is told, and before it
  /// writes over anything.
  public var watchesDisk = true
  /// Whether the document takes turns with others who coordinate, in this process and in others: it saves before they read,
  /// and waits while they read or write. Where nobody does, that costs next to nothing.
  public var takesTurns = true
  /// How long it waits for others before it reads or writes all the same, and tells the error handler.
  public var coordinationDeadline = Duration.seconds(10)
  /// Brings together what was edited here and what another program wrote. Nil for the way of a `MergeableContent`; with
  /// other contents that is then always a conflict.
  public var merge: (@Sendable (DocumentMerge<Content>) throws -> Content?)?

  /// Makes the usual options.
  public init() {}
}

/// Three states of a content that have to become one.
public struct DocumentMerge<Content: DocumentContent>: Sendable {
  /// The content that both began with.
  public var base: Content
  /// With what was edited here.
  public var ours: Content
  /// With what another program wrote.
  public var theirs: Content
  /// The children that the other program changed, made or removed.
  public var paths: [String]

  /// Makes a case to be merged, also for tests.
  public init(base: Content, ours: Content, theirs: Content, paths: [String]) {
    (self.base, self.ours, self.theirs, self.paths) = (base, ours, theirs, paths)
  }
}
