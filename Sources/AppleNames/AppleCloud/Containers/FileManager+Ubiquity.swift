import CloudContainers
import Documents
public import Foundation
import SystemPackage

// The calls wait for the disk, and some for the store, on the calling thread. So do Apple's.

extension FileManager {
  /// Returns the folder of a registered container; nil if no container is registered under the identifier.
  ///
  /// The identifier nil names the container that was registered first. The subfolder `Documents` has the documents for
  /// the user. Unlike Apple's, the call never waits.
  public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
    UbiquityContainers.container(for: containerIdentifier)?.url
  }

  /// The identity of the container that was registered first; nil if there is none.
  ///
  /// The tokens of one container are equal on all machines.
  public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
    UbiquityContainers.token.map { NSString(string: $0) }
  }

  /// Returns whether the item is in the folder of a registered container, as a file, a folder or a placeholder.
  ///
  /// Cost: one system call for an item on this machine; for any other item that of `CloudContainer.item(named:)`.
  public func isUbiquitousItem(at url: URL) -> Bool {
    guard let place = UbiquityContainers.place(of: url) else { return false }
    return fileExists(atPath: url.path) || (try? place.isTaken()) == true  // As Apple's, it throws nothing.
  }

  /// Moves a document of this machine into a container, or out of it.
  ///
  /// It coordinates the move, so that an open document follows it. The next `CloudContainer.sync()` uploads a document
  /// that moved in, and deletes a document that moved out from the container. A placeholder is downloaded before it
  /// moves out. An open `UIDocument` answers on the main queue. So the main queue must not wait for this call.
  ///
  /// - Parameters:
  ///   - flag: whether the document moves into a container.
  ///   - url: the place of the document.
  ///   - destinationURL: its new place, in a container folder if `flag` is true. Missing folders are made.
  /// - Throws: `CocoaError` with the code `fileWriteFileExists` if an item is at the new place. The code is
  ///   `ubiquitousFileUnavailable` if the place in the container is outside all container folders, and
  ///   `featureUnsupported` for a folder with an extension that no declared type has. The other errors are those of
  ///   `CloudContainer.moveIn(_:as:)` and `download(itemNamed:)`. After an error the document has not moved.
  public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
    let place = try UbiquitousPlace.required(flag ? destinationURL : url)
    if try fileExists(atPath: destinationURL.path) || flag && place.isTaken() {
      throw CocoaError(.fileWriteFileExists, userInfo: [NSURLErrorKey: destinationURL])
    }
    if flag { try UbiquitousPlace.requirePackage(url) }
    try waitBlocking {
      if flag {
        try await place.moveIn(url, to: destinationURL)
      } else {
        try await place.moveOut(url, to: destinationURL)
      }
    }
  }

  /// Begins to download the newest content of a document, or of all documents in a folder. It returns before the end
  /// of the download.
  ///
  /// If another process syncs the container folder at this moment, that process downloads the content. If a download
  /// fails, the reason is in the attributes of the item, and the next `CloudContainer.sync()` tries again.
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
    // Each item's attributes have its error.
    Task { try? await place.container.downloadWanted(itemsNamed: names) }
  }

  /// Removes the content of a document, or of all documents in a folder, from this machine. It stays in the container.
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

  /// - Throws: `CocoaError` with the code `featureUnsupported` for a folder with an extension that no sign shows to be a
  ///   document: the container would take each of its files for a document of its own.
  static func requirePackage(_ url: URL) throws {
    guard let signs = FolderSigns(ofFolderAt: FilePath(url.path)), signs.hasExtension, !signs.showPackage()
    else { return }
    throw CocoaError(
      .featureUnsupported,
      userInfo: [
        NSURLErrorKey: url,
        NSLocalizedDescriptionKey:
          "No type says that '\(url.lastPathComponent)' is a package. Declare its type with UTType.declare(contentsOf:).",
      ])
  }

  /// Whether the container has a document of the name, also as a placeholder.
  func isTaken() throws -> Bool { try waitBlocking { try await container.document(named: name) != nil } }

  /// The names of the document, or of the documents in the folder, that the last run knew of.
  func documentNames() throws -> [String] {
    try waitBlocking { try await container.session.placedNames(within: name) }
  }

  /// Moves a document of this machine to this place.
  func moveIn(_ source: URL, to target: URL) async throws {
    try await Self.coordinateMove(source, target) { source, _ in
      container.url.appending(path: try await container.moveIn(source, as: name))
    }
  }

  /// Moves the document at this place to one outside of the container.
  ///
  /// No run looks at the folder meanwhile. The download precedes the move, since both coordinate their writes.
  func moveOut(_ source: URL, to target: URL) async throws {
    let item = try await container.item(named: name)
    if item?.downloadingStatus != .current { try await container.download(itemNamed: name) }
    try await container.exclusively {
      try await Self.coordinateMove(source, target) { _, target in
        try await container.session.folder.location.moveOut(
          name, to: target.deletingLastPathComponent(), as: target.lastPathComponent)
      }
    }
  }

  /// - Parameter move: moves the document, and returns the place that it got: another one if the name was taken.
  private static func coordinateMove(
    _ source: URL, _ target: URL, _ move: (URL, URL) async throws -> URL
  ) async throws {
    let coordinator = FileCoordinator()
    try await coordinator.coordinate(
      writingItemAt: source, options: .forMoving, writingItemAt: target, options: .forReplacing
    ) { source, target in
      try await coordinator.item(at: source, didMoveTo: move(source, target))
    }
  }
}
