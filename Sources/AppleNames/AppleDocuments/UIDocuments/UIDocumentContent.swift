import Documents
import FilePackages
import Foundation
import Synchronization

/// The contents of a `UIDocument`, as the content of a `Documents.Document`.
struct UIDocumentContent: DocumentContent {
  static var readableContentTypes: [UTType] { [.item] }

  /// The changes of the document, and what it writes.
  let link: ChangeLink
  let source: UIDocumentSource
  /// The bytes of a flat file, or the tree of a package; nil for a new document.
  let read: FileWrapper?

  init(_ link: ChangeLink, _ source: UIDocumentSource) {
    (self.link, self.source, read) = (link, source, nil)
  }

  init(configuration: ReadConfiguration) throws {
    (link, source, read) = (ChangeLink(), UIDocumentSource(), configuration.file)
    // The document reads a flat file on the main queue, so that its bytes are read here.
    if configuration.file.isRegularFile { _ = try configuration.file.contents() }
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    if let (written, isWritten) = try source.write(link) {
      guard let tree = configuration.existingFile, tree !== written, tree.isDirectory, written.isDirectory
      else {
        return written
      }
      // The store compares its own tree with the disk, and not one that the model has made or has had for long.
      try tree.become(written, of: isWritten ? .files : .model)
      return tree
    }
    // The document is gone, and with it the model and its changes.
    return configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
  }
}

/// The document whose contents a save writes.
final class UIDocumentSource: Sendable {
  /// The contents of one moment.
  struct Prepared: Sendable {
    var tree: FileWrapper
    /// Whether the subclass has written the tree as files.
    var isWritten: Bool
    var moment: ChangeLink.Moment
    var token: Token
    /// The number of saves before this moment.
    var saves: Int
    /// The extension that the subclass wants for a new document; nil for another save.
    var fileExtension: String?

    /// Returns the place of a document that is made at `url`. The extension counts only if the subclass chose it.
    func target(of url: URL, from old: URL) -> URL {
      guard let fileExtension, !fileExtension.isEmpty, fileExtension != url.pathExtension,
        fileExtension != old.pathExtension
      else { return url }
      return url.deletingPathExtension().appendingPathExtension(fileExtension)
    }
  }

  /// The change count token of a moment.
  // `@unchecked`: a subclass makes the value on the main actor, and only the main actor uses it.
  struct Token: @unchecked Sendable {
    let value: Any
    let operation: DocumentSaveOperation
  }

  private struct State {
    weak var document: UIDocument?
    /// The changes of the document, if they are older than this content.
    var link: ChangeLink?
    var prepared: Prepared?
    /// The token of the contents that the running save writes.
    var taken: Token?
    /// The tokens of saved contents that the document does not know yet.
    var saved: [Token] = []
  }

  private let state = Mutex(State())

  /// The contents come from this document from now on.
  func attach(_ document: UIDocument, _ link: ChangeLink) {
    state.withLock { ($0.document, $0.link) = (document, link) }
  }

  /// The next save writes these contents.
  func prepare(_ prepared: Prepared) { state.withLock { $0.prepared = prepared } }

  /// Returns the contents to write, and whether the subclass wrote them as files, or nil if the document is gone.
  ///
  /// They are those that a call has prepared, or else those that the document gives now, on the main queue.
  func write(_ link: ChangeLink) throws -> (tree: FileWrapper, isWritten: Bool)? {
    let (document, present, prepared) = state.withLock { state in
      defer { state.prepared = nil }
      return (state.document, state.link, state.prepared)
    }
    let link = present ?? link
    if let prepared { return use(prepared, link) }
    guard let document else { return nil }
    try waitForMainQueue()
    let mainQueue = DispatchQueue.main
    return try mainQueue.sync {
      // The main actor runs on the main queue.
      let taken = try MainActor.assumeIsolated { try document.takeContents(for: .forOverwriting) }
      return use(taken, link)
    }
  }

  private func use(_ prepared: Prepared, _ link: ChangeLink) -> (tree: FileWrapper, isWritten: Bool) {
    state.withLock { $0.taken = prepared.token }
    link.take(prepared.moment)
    return (prepared.tree, prepared.isWritten)
  }

  /// Notes that the contents which were written last are saved.
  func noteSave() {
    state.withLock { state in
      if let taken = state.taken { state.saved.append(taken) }
      state.taken = nil
    }
  }

  /// Returns the tokens of saved contents since the last call of this method.
  func takeSaved() -> [Token] {
    state.withLock { state in
      defer { state.saved = [] }
      return state.saved
    }
  }
}
