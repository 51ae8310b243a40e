public import FilePackages
public import FoundationEssentials

// DL1 The settings name the preferred place before the first document moves. So the next call continues a conversion
//     that was cut short.
// DL2 Each document moves by itself. A document that cannot move does not stop the next one.

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

  /// The outcome of a conversion.
  public struct ConversionReport: Sendable {
    /// The documents that moved to the other place, by their old and new names.
    public internal(set) var moved: [(name: String, newName: String)] = []
    /// The documents that did not move, with the reasons.
    public internal(set) var failures: [(name: String, error: any Error)] = []
    /// The errors that may hide further documents.
    public internal(set) var problems: [any Error] = []

    /// Whether every document moved.
    public var isComplete: Bool { failures.isEmpty && problems.isEmpty }
  }

  /// The folder of this machine.
  public nonisolated let local: FolderLocation
  /// The container, if there is one.
  public nonisolated let container: (any StorageLocation)?
  private let settings: URL
  /// The place of new documents.
  public private(set) var preferred: Place
  private var conversion: Task<ConversionReport, any Error>?

  /// Makes a library that stores its preference in a file.
  ///
  /// - Parameter settings: a property list, which the library makes when it stores a preference. Its folder must exist.
  /// - Throws: the error of reading the file; `invalidContent` if it is not a list of this library; `invalidName` if
  ///   one folder is in the other.
  public init(
    local: FolderLocation, container: (any StorageLocation)? = nil, settings: URL
  ) async throws(FilePackageError) {
    if let folder = container?.folderURL, FolderLocation(folder).overlaps(local) {
      throw FilePackageError(
        .invalidName, .open, document: folder.path,
        reason: "the container is in the local folder, or contains it")
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
          .invalidContent, .open, document: url.path, reason: "it is not a readable property list")
      }
      return try PropertyListDecoder().decode(Settings.self, from: data).preferredLocation
    } catch let error as FilePackageError {
      throw error
    } catch {
      throw FilePackageError(
        .invalidContent, .open, document: url.path,
        reason: "it is not a property list with a 'PreferredLocation'")
    }
  }

  /// Sets the place of new documents.
  ///
  /// Existing documents stay until `convert(to:)`. The setting is durable on return.
  ///
  /// - Throws: `unsupported` for a container if there is none; the error of the file system.
  public func setPreferred(_ place: Place) async throws(FilePackageError) {
    _ = try location(place)  // Throws if there is no container.
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
      _ = try await FlatFileStore.create(file, at: settings)  // The next call opens the file again.
    } catch {
      guard error.code == .fileExists else { throw error }
      _ = try await FlatFileStore.open(at: settings).save(file)  // The caller needs no report.
    }
    preferred = place
  }

  // MARK: Documents

  /// Returns one of the two places.
  ///
  /// - Throws: `unsupported` if there is no container.
  public nonisolated func location(_ place: Place) throws(FilePackageError) -> any StorageLocation {
    if place == .local { return local }
    guard let container else {
      throw FilePackageError(
        .unsupported, .open, document: local.url.path, reason: "there is no container for its documents")
    }
    return container
  }

  /// Returns whether a place has a document of that name.
  public nonisolated func isFound(_ name: String, in place: Place) async throws -> Bool {
    try await location(place).document(named: name) != nil
  }

  /// Returns the facts of a place about a document, such as its dates; nil if there is none.
  public nonisolated func document(named name: String, in place: Place) async throws -> StoredDocument? {
    try await location(place).document(named: name)
  }

  /// Returns the document's URL on this machine, in the preferred place or else in the other one; nil if it is in
  /// neither.
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

  /// Makes a place the preferred one, and moves every document of the other place there.
  ///
  /// A document whose name is taken there gets a number. A crash, a power cut or a cancellation may cut the conversion
  /// short. Then each document is whole in one of the two places, and the next call moves the rest. If the places are
  /// in two file systems, a crash may leave one document in both. Documents may be open meanwhile. Within a file system, an open document follows its move. After a move to another file system, an
  /// open document counts as deleted.
  ///
  /// - Parameter progress: called after each document, with the number of documents done and the number of all.
  /// - Returns: the outcome of each document; a document that failed is still in its old place.
  /// - Throws: if the library cannot reach a whole place or store the preference; `CancellationError`.
  public func convert(
    to place: Place, progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws -> ConversionReport {
    // One conversion at a time.
    while let conversion { _ = await conversion.result }  // Its own caller gets the result.
    let task = Task {
      // Before its end: the callers that wait find no conversion then, or another one.
      defer { conversion = nil }
      return try await carryOut(place, progress)
    }
    conversion = task
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
      _ = try location(place)  // Throws if there is no container.
      return ConversionReport()
    }
    try await setPreferred(place)  // DL1
    let listing = try await location(place == .local ? .container : .local).documents()
    var report = ConversionReport()
    report.problems = listing.problems
    for (index, document) in listing.documents.enumerated() {
      try Task.checkCancellation()
      do {
        report.moved.append((document.name, try await carry(document.name, to: place, container)))
      } catch {
        report.failures.append((document.name, error))  // DL2
      }
      progress?(index + 1, listing.documents.count)
    }
    return report
  }

  /// Moves one document to a place, from the other one; the preferred place stays as it is.
  ///
  /// - Returns: the name that it has there: another one if its name is taken.
  /// - Throws: `unsupported` if there is no container; the error of the move. The document is then in its old place.
  @discardableResult
  public nonisolated func move(_ name: String, to place: Place) async throws -> String {
    guard let container else {
      _ = try location(.container)  // Throws: there is no container.
      return name
    }
    return try await carry(name, to: place, container)
  }

  private nonisolated func carry(
    _ name: String, to place: Place, _ container: any StorageLocation
  ) async throws -> String {
    switch place {
    case .container: try await container.moveIn(local.url(of: name), as: name)
    case .local: try await local.name(of: container.moveOut(name, to: local.url, as: name))
    }
  }
}

extension FolderLocation {
  /// Returns whether one folder is the other one, or is in it, by their paths.
  func overlaps(_ other: FolderLocation) -> Bool {
    let (first, second) = (url.standardized.path + "/", other.url.standardized.path + "/")
    return first.hasPrefix(second) || second.hasPrefix(first)
  }

  /// Returns the name in this location of a URL in its folder.
  func name(of url: URL) -> String { String(url.path.dropFirst(self.url.path.count + 1)) }
}

extension DocumentLibrary.ConversionReport: CustomStringConvertible {
  /// The number of documents that moved, and a line for each failure and each problem.
  public var description: String {
    let lines =
      failures.map { "'\(displayString($0.name))' did not move: \(sentence(of: $0.error))" }
      + problems.map { sentence(of: $0) }
    return (["\(counted(moved.count, "document")) moved"] + lines).joined(separator: "\n")
  }
}
