public import FilePackages
import FoundationEssentials

/// The documents of an application, in a folder of this machine and, if the user wants, in a container.
///
/// ```swift
/// let library = try DocumentLibrary(local: FolderLocation(documents), container: FolderLocation(shared))
/// let report = try await library.convert(to: .container)
/// for (name, error) in report.failures { … }
/// ```
///
/// The application stores which place the user prefers.
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
  private var conversion: Task<ConversionReport, any Error>?

  /// Makes a library.
  ///
  /// - Throws: `invalidName` if one folder is in the other.
  public init(
    local: FolderLocation, container: (any StorageLocation)? = nil
  ) throws(FilePackageError) {
    if let folder = container?.folderURL, FolderLocation(folder).overlaps(local) {
      throw FilePackageError(
        .invalidName, .open, document: folder.path,
        reason: "the container is in the local folder, or contains it")
    }
    (self.local, self.container) = (local, container)
  }

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

  // MARK: Conversion

  /// Moves every document of the other place to this one.
  ///
  /// A document whose name is taken there gets a number. A crash, a power cut or a cancellation may cut the conversion
  /// short. Then each document is whole in one of the two places, and the next call moves the rest. If the places are
  /// in two file systems, a crash may leave one document in both. Documents may be open meanwhile. Within a file system,
  /// an open document follows its move. After a move to another file system, an open document counts as deleted.
  ///
  /// A document that cannot move does not stop the next one.
  ///
  /// - Parameter progress: called after each document, with the number of documents done and the number of all.
  /// - Returns: the outcome of each document; a document that failed is still in its old place.
  /// - Throws: if the library cannot reach a whole place; `CancellationError`.
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
    if container == nil && place == .local { return ConversionReport() }
    let container = try location(.container)
    let listing = try await (place == .local ? container : local as any StorageLocation).documents()
    var report = ConversionReport()
    report.problems = listing.problems
    for (index, document) in listing.documents.enumerated() {
      try Task.checkCancellation()
      do {
        report.moved.append((document.name, try await move(document.name, to: place)))
      } catch {
        report.failures.append((document.name, error))
      }
      progress?(index + 1, listing.documents.count)
    }
    return report
  }

  /// Moves one document to a place, from the other one.
  ///
  /// - Returns: the name that it has there: another one if its name is taken.
  /// - Throws: `unsupported` if there is no container; the error of the move. The document is then in its old place.
  @discardableResult
  public nonisolated func move(_ name: String, to place: Place) async throws -> String {
    let container = try location(.container)
    switch place {
    case .container: return try await container.moveIn(local.url(of: name), as: name)
    case .local: return try await local.name(of: container.moveOut(name, to: local.url, as: name))
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
