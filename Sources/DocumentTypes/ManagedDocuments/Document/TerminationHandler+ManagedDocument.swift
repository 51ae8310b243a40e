public import Documents

extension TerminationHandler {
  /// Begins to wait for signals; the first one closes a document with a database.
  ///
  /// If its edits cannot be saved, the next opening has them as unsaved changes, and `options.errorHandler` gets the
  /// error.
  ///
  /// - Parameters:
  ///   - signals: the signals to wait for.
  ///   - document: the document to close; the handler holds it.
  public init(signals: [Int32] = TerminationHandler.usualSignals, closing document: ManagedDocument) {
    // The document tells its own error handler; the program ends all the same.
    self.init(signals: signals) { _ = try? await document.close() }
  }
}
