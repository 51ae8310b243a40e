public import Documents
import FilePackages
import Foundation
import Synchronization

/// The content of a document whose model is an object of the main actor: it asks the model for its tree.
public struct ModelContent: DocumentContent {
  /// Every type: the model has types of its own.
  public static var readableContentTypes: [UTType] { [.item] }

  /// The tie to the model.
  let link: ModelLink
  /// The bytes of a flat file, or the tree of a package; nil for a new document.
  let read: FileWrapper?

  init(of file: ModelFile) {
    (link, read) = (ModelLink(), nil)
    link.tie(to: file)
  }

  /// Reads a tree. The model gets it later, on the main actor.
  public init(configuration: ReadConfiguration) throws {
    (link, read) = (ModelLink(), configuration.file)
    if configuration.file.isRegularFile {
      // The model reads a flat file on the main queue, so that its bytes are read here.
      _ = try configuration.file.contents()
    } else {
      // A model may read the files by itself, or no child at all. The tree knows each of them all the same, so that the
      // engine hears of a later change.
      try configuration.file.noteStatuses()
    }
  }

  /// Returns the tree of the model as it is now.
  ///
  /// - Throws: the errors of the model; an error if the main queue runs nothing for 30 seconds.
  public func fileWrapper(configuration: WriteConfiguration) async throws -> FileWrapper {
    let existing = configuration.existingFile
    let emptyFolder = FileWrapper(directoryWithFileWrappers: [:])
    // No model has the content yet.
    guard link.isTied else { return read ?? existing ?? emptyFolder }
    // The model is gone, and with it its changes.
    guard let file = link.file else { return existing ?? emptyFolder }
    try waitForMainQueue()
    guard let (written, giver) = try await file.takeTree(configuration) else {
      return existing ?? emptyFolder
    }
    guard let giver, let existing, existing !== written, existing.isDirectory, written.isDirectory else {
      return written
    }
    // The store compares its own tree with the disk, and not one that the model has made or has had for long.
    try existing.become(written, of: giver)
    return existing
  }
}

extension ModelContent: TypedContent {
  package var typeLists: ContentTypeLists? { link.file?.types }
}

/// The tie of a content to the file whose model a save writes.
final class ModelLink: Sendable {
  private struct Tie {
    weak var file: ModelFile?
    var isTied = false
  }

  private let tie = Mutex(Tie())

  var file: ModelFile? { tie.withLock { $0.file } }
  var isTied: Bool { tie.withLock { $0.isTied } }
  func tie(to file: ModelFile) { tie.withLock { $0 = Tie(file: file, isTied: true) } }
}
