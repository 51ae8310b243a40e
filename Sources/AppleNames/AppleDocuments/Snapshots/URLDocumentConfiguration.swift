import Documents
public import Foundation
public import Observation

/// The place of an open document.
///
/// Counterpart of SwiftUI's `URLDocumentConfiguration`.
@MainActor
@Observable
public final class URLDocumentConfiguration {
  /// The document's place; nil for one that was never saved. It follows a move by another program.
  public internal(set) var fileURL: URL?
  /// The last known modification date of the document on disk.
  public internal(set) var lastContentModificationDate: Date?
  /// The user's choice with which the document was made; nil without one.
  public let creationSource: DocumentCreationSource?
  @ObservationIgnored var presenter: (any FilePresenter)?

  /// Makes a configuration, also for tests.
  public init(fileURL: URL? = nil, creationSource: DocumentCreationSource? = nil) {
    (self.fileURL, self.creationSource) = (fileURL, creationSource)
  }

  /// Returns a coordinator whose accesses do not wait for this document.
  public func makeFileCoordinator() -> sending NSFileCoordinator { NSFileCoordinator(presenter: presenter) }
}

/// The facts for a new document.
public struct DocumentCreationContext: Sendable {
  /// The choice of the user, if there was one.
  public let creationSource: DocumentCreationSource?

  /// Makes a context, also for tests.
  public init(creationSource: DocumentCreationSource? = nil) { self.creationSource = creationSource }
}

/// A way to make a new document, such as a template.
public struct DocumentCreationSource: Hashable, Sendable, Identifiable {
  /// The name of the way.
  public let id: String

  /// Makes a way of that name.
  public init(id: String) { self.id = id }
}
