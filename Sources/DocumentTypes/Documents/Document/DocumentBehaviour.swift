public import FilePackages

/// The options of every open document. The options of both kinds have them as members of their own.
public struct DocumentBehaviour: Sendable {
  /// The times at which the document saves by itself; nil for never.
  public var autosave: AutosavePolicy? = AutosavePolicy()
  /// The program that saves, as the metadata of packages name it.
  public var program = SavingProgram.current
  /// The clock of autosave and of the grouping of edits.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The function that gets each error, also one that no caller waits for, such as that of an autosave.
  public var errorHandler: (@Sendable (DocumentError) -> Void)?
  /// The function that gets each event of the document, in order, before the call that caused it returns. The document
  /// waits meanwhile.
  public var eventHandler: (@Sendable (DocumentEvent) -> Void)?
  /// Whether the document notices at once that another program changes, moves or removes it. Otherwise it does so at a
  /// call such as `presentedItemDidChange()`, and before a save would overwrite a change.
  public var watchesDisk = true
  /// Whether the document takes part in coordination, in this process and with other processes.
  ///
  /// It saves before another program reads, and waits while one reads or writes. If no other program takes part, the
  /// cost is negligible.
  public var isCoordinated = true
  /// The longest wait for other programs. After it the document reads or writes all the same, and reports to the error
  /// handler.
  public var coordinationDeadline = Duration.seconds(10)
  /// The provider that downloads the content before the document is read, such as a container; nil for none.
  public var provider: (any DocumentProvider)?

  /// Makes the usual behaviour.
  public init() {}
}
