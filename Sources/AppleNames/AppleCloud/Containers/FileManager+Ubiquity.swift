import CloudContainers
import Documents
public import Foundation

// The calls wait for the disk, and some for the store, on the calling thread. So do Apple's.

extension FileManager {
  /// Returns the folder of a registered container; nil if no container is registered under the identifier.
  ///
  /// Nil as the identifier names the container that was registered first. Documents for the user are in the folder
  /// `Documents` in it. Unlike Apple's, the call never waits.
  public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
    UbiquityContainers.container(for: containerIdentifier)?.url
  }

  /// The identity of the container that was registered first; nil if there is none.
  ///
  /// Two tokens are equal if the containers have the same documents, also on two machines.
  public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
    UbiquityContainers.token.map { NSString(string: $0) }
  }

  /// Returns whether a registered container has the item, here or as a placeholder.
  ///
  /// Cost: one look for an item that is here; for any other item as `CloudContainer.items()`.
  public func isUbiquitousItem(at url: URL) -> Bool {
    guard let place = UbiquityContainers.place(of: url) else { return false }
    // Apple's method has no error either.
    return fileExists(atPath: url.path) || (try? place.isTaken()) == true
  }

  /// Moves a document of this machine into a container, or out of it.
  ///
  /// It coordinates the move, so that an open document follows it. The next `CloudContainer.sync()` uploads a document
  /// that moved in, and deletes one that moved out from the container. A placeholder is downloaded before it moves out.
  /// An open `UIDocument` answers on the main queue. So the main queue must not wait for this call.
  ///
  /// - Parameters:
  ///   - flag: whether the document moves into a container.
  ///   - url: the place of the document.
  ///   - destinationURL: its new place, in a container folder if `flag` is true. Missing folders are made.
  /// - Throws: `CocoaError` with the code `fileWriteFileExists` if there is a document at the new place, or
  ///   `ubiquitousFileUnavailable` if the place that should be in a container folder is not; otherwise as
  ///   `CloudContainer.moveIn(_:as:)` and `download(itemNamed:)`. The document then is at its old place.
  public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
    let place = try UbiquitousPlace.required(flag ? destinationURL : url)
    if try fileExists(atPath: destinationURL.path) || flag && place.isTaken() {
      throw CocoaError(.fileWriteFileExists, userInfo: [NSURLErrorKey: destinationURL])
    }
    try waitBlocking {
      if flag {
        try await place.moveIn(url, to: destinationURL)
      } else {
        try await place.moveOut(url, to: destinationURL)
      }
    }
  }

  /// Begins to download the newest content of a document, or of all documents in a folder; returns before it is here.
  ///
  /// Another process that brings the folder up to date at this moment downloads it. If the download fails, the reason is
  /// in the attributes of the item, and the next `CloudContainer.sync()` tries again.
  ///
  /// - Throws: `CocoaError` with the code `ubiquitousFileUnavailable` outside of a container folder;
  ///   `CloudContainer.startDownloading(itemNamed:)` has the other errors.
  public func startDownloadingUbiquitousItem(at url: URL) throws {
    let place = try UbiquitousPlace.required(url)
    let names = try place.documentNames()
    // A new document that the container lacks is here already.
    if names.isEmpty && fileExists(atPath: url.path) { return }
    try waitBlocking {
      for name in names.isEmpty ? [place.name] : names {
        try await place.container.startDownloading(itemNamed: name)
      }
    }
    // The attributes of each item have its error, and the item stays one that the next run downloads.
    Task { try? await place.container.download(itemsNamed: names) }
  }

  /// Removes the content of a document, or of all documents in a folder, from this machine. The container keeps it.
  ///
  /// - Throws: `CocoaError` with the code `ubiquitousFileUnavailable` outside of a container folder;
  ///   `CloudContainer.evict(itemNamed:)` has the other errors, such as that of content that is not uploaded.
  public func evictUbiquitousItem(at url: URL) throws {
    let place = try UbiquitousPlace.required(url)
    let names = try place.documentNames()
    try waitBlocking {
      for name in names.isEmpty ? [place.name] : names {
        try await place.container.evict(itemNamed: name)
      }
    }
  }
}

extension UbiquitousPlace {
  /// The container of a place, and the name of the item there.
  ///
  /// - Throws: `CocoaError` with the code `ubiquitousFileUnavailable` outside all container folders.
  static func required(_ url: URL) throws -> UbiquitousPlace {
    guard let place = UbiquityContainers.place(of: url) else {
      throw CocoaError(
        .ubiquitousFileUnavailable,
        userInfo: [
          NSURLErrorKey: url,
          NSLocalizedDescriptionKey:
            "'\(url.lastPathComponent)' is in the folder of no registered container.",
        ])
    }
    return place
  }

  /// Whether the container has a document of the name, also as a placeholder.
  func isTaken() throws -> Bool { try waitBlocking { try await container.document(named: name) != nil } }

  /// The names of the document, or of the documents in the folder, that the last run knew of.
  func documentNames() throws -> [String] {
    try waitBlocking { [name] in
      try await container.names().filter { $0 == name || $0.hasPrefix(name + "/") }
    }
  }

  /// Moves a document of this machine to this place.
  func moveIn(_ source: URL, to target: URL) async throws {
    try await Self.coordinateMove(source, target) { source, _ in
      _ = try await container.moveIn(source, as: name)
    }
  }

  /// Moves the document at this place to one outside of the container.
  ///
  /// No run looks at the folder meanwhile. The download precedes the move, since both coordinate their writes.
  func moveOut(_ source: URL, to target: URL) async throws {
    let item = try await container.items().first { $0.name == name }
    if item?.downloadingStatus != .current { try await container.download(itemNamed: name) }
    try await container.exclusively {
      try await Self.coordinateMove(source, target) { _, target in
        _ = try await container.session.folder.location.moveOut(
          name, to: target.deletingLastPathComponent(), as: target.lastPathComponent)
      }
    }
  }

  private static func coordinateMove(
    _ source: URL, _ target: URL, _ move: (URL, URL) async throws -> Void
  ) async throws {
    let coordinator = FileCoordinator()
    try await coordinator.coordinate(
      writingItemAt: source, options: .forMoving, writingItemAt: target, options: .forReplacing
    ) { source, target in
      try await move(source, target)
      try await coordinator.item(at: source, didMoveTo: target)
    }
  }
}
