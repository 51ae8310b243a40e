public import FilePackages
public import FoundationEssentials

// (1) The settings say where documents are to be, before the first one is moved: a conversion that is cut short goes on
//     when it is asked for again.
// (2) Each document is moved by itself, and one that cannot be moved keeps none of the others.

/// The documents of an application, in a folder of this machine and, if the user wants, in a container.
///
/// ```swift
/// let library = try await DocumentLibrary(local: FolderLocation(documents), container: FolderLocation(shared), settings: file)
/// let report = try await library.convert(to: .container)
/// for (name, error) in report.failures { … }
/// ```
public actor DocumentLibrary {
  /// One of the two places.
  public enum Place: String, Sendable, Hashable, Codable, CaseIterable {
    /// The folder of this machine.
    case local
    /// The container.
    case container
  }

  /// What became of the documents that a conversion found.
  public struct ConversionReport: Sendable {
    /// The documents that are in the other place now, by the names that they had and have.
    public internal(set) var moved: [(name: String, newName: String)] = []
    /// The documents that are where they were, and why.
    public internal(set) var failures: [(name: String, error: any Error)] = []
    /// Why there may be more documents that could not be looked at.
    public internal(set) var problems: [any Error] = []

    /// Whether everything is in its place.
    public var isComplete: Bool { failures.isEmpty && problems.isEmpty }
  }

  /// The folder of this machine.
  public nonisolated let local: FolderLocation
  /// The container, if there is one.
  public nonisolated let container: (any StorageLocation)?
  private let settings: URL
  /// Where new documents are to be made.
  public private(set) var preferred: Place
  private var conversion: Task<ConversionReport, any Error>?

  /// A library whose preference is kept in a file.
  ///
  /// - Parameter settings: a property list, which is made when a preference is set; its folder has to be there.
  /// - Throws: what keeps the file from being read; `invalidContent` for one that is something else; `invalidName` for
  ///   folders of which one is within the other.
  public init(
    local: FolderLocation, container: (any StorageLocation)? = nil, settings: URL
  ) async throws(FilePackageError) {
    if let container = container as? FolderLocation, container.overlaps(local) {
      throw FilePackageError(
        .invalidName, .open, document: container.url.path,
        reason: "the container and the local folder are one within the other")
    }
    (self.local, self.container, self.settings) = (local, container, settings)
    preferred = try await Self.readPreference(settings) ?? .local
  }

  // MARK: Preference

  private struct Settings: Codable {
    var preferredLocation: Place

    enum CodingKeys: String, CodingKey {
      case preferredLocation = "PreferredLocation"
    }
  }

  private static func readPreference(_ url: URL) async throws(FilePackageError) -> Place? {
    let store: FlatFileStore
    do {
      store = try await FlatFileStore.open(at: url)
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
    do {
      let data = try await store.file.contents()
      guard PropertyListShape.isBounded(data) else {
        throw FilePackageError(
          .invalidContent, .open, document: url.path, reason: "it is no property list that can be read")
      }
      return try PropertyListDecoder().decode(Settings.self, from: data).preferredLocation
    } catch let error as FilePackageError {
      throw error
    } catch {
      throw FilePackageError(
        .invalidContent, .open, document: url.path,
        reason: "it is no property list with a 'PreferredLocation'")
    }
  }

  /// Says where new documents are to be made. What is there already stays where it is, until `convert(to:)`. Survives a
  /// power cut when it returns.
  ///
  /// - Throws: `unsupported` for a container where there is none; what the system refuses.
  public func setPreferred(_ place: Place) async throws(FilePackageError) {
    _ = try location(place)
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    let data: Data
    do {
      data = try encoder.encode(Settings(preferredLocation: place))
    } catch {
      throw FilePackageError(.invalidContent, .save, document: settings.path, reason: "\(error)")
    }
    let file = FileWrapper(regularFileWithContents: data)
    do {
      _ = try await FlatFileStore.create(file, at: settings)
    } catch {
      guard error.code == .fileExists else { throw error }
      _ = try await FlatFileStore.open(at: settings).save(file)
    }
    preferred = place
  }

  // MARK: Documents

  /// One of the two places.
  ///
  /// - Throws: `unsupported` where there is no container.
  public nonisolated func location(_ place: Place) throws(FilePackageError) -> any StorageLocation {
    if place == .local { return local }
    guard let container else {
      throw FilePackageError(
        .unsupported, .open, document: local.url.path, reason: "there is no container for its documents")
    }
    return container
  }

  /// Whether there is a document of that name in a place.
  public nonisolated func isFound(_ name: String, in place: Place) async throws -> Bool {
    try await location(place).document(named: name) != nil
  }

  /// What a place says of a document, such as when it was made and changed; nil when there is none.
  public nonisolated func document(named name: String, in place: Place) async throws -> StoredDocument? {
    try await location(place).document(named: name)
  }

  /// Where a document of that name is on this machine, if it is: in the preferred place, or else in the other one.
  public func url(of name: String) async throws -> URL? {
    for place in preferred == .local ? [Place.local, .container] : [.container, .local] {
      if place == .container && container == nil { continue }
      if let url = try await location(place).localURL(of: name) { return url }
    }
    return nil
  }

  /// Removes a document from a place, for good.
  public nonisolated func delete(_ name: String, from place: Place) async throws {
    try await location(place).delete(name)
  }

  // MARK: Conversion

  /// Makes a place the preferred one, and moves every document there that is in the other one.
  ///
  /// A document whose name is another's there gets a number. Cut short by a crash or a power cut, or cancelled, each
  /// document is whole in one of the two places, and calling it again moves the rest. Documents may be open meanwhile: they
  /// follow, within a file system, as after any other move; to another one they are told that they were deleted.
  ///
  /// - Parameter progress: told after each document, how many were looked at and how many there are.
  /// - Returns: what became of each; one that could not be moved is still where it was.
  /// - Throws: where a place as a whole cannot be reached, or the preference cannot be kept; `CancellationError`.
  public func convert(
    to place: Place, progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws -> ConversionReport {
    // One after the other.
    while let conversion { _ = await conversion.result }
    let task = Task { try await self.carryOut(place, progress) }
    conversion = task
    defer { conversion = nil }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func carryOut(
    _ place: Place, _ progress: (@Sendable (Int, Int) -> Void)?
  ) async throws -> ConversionReport {
    guard let container else {
      if place == .local { return ConversionReport() }
      _ = try location(place)
      return ConversionReport()
    }
    try await setPreferred(place)  // (1)
    let listing = try await location(place == .local ? .container : .local).documents()
    var report = ConversionReport()
    report.problems = listing.problems
    for (index, document) in listing.documents.enumerated() {
      try Task.checkCancellation()
      do {
        let newName =
          place == .container
          ? try await container.moveIn(local.url(of: document.name), as: document.name)
          : try await local.name(of: container.moveOut(document.name, to: local.url, as: document.name))
        report.moved.append((document.name, newName))
      } catch {
        report.failures.append((document.name, error))  // (2)
      }
      progress?(index + 1, listing.documents.count)
    }
    return report
  }
}

extension FolderLocation {
  /// Whether one folder is the other one, or in it, as far as their paths tell.
  func overlaps(_ other: FolderLocation) -> Bool {
    let (first, second) = (url.standardized.path + "/", other.url.standardized.path + "/")
    return first.hasPrefix(second) || second.hasPrefix(first)
  }

  /// The name here of what is at a URL in this folder.
  func name(of url: URL) -> String { String(url.path.dropFirst(self.url.path.count + 1)) }
}
