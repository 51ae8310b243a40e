import CloudContainers
import Documents
import FilePackages
import Foundation
import ImageNotes
import ObjectStores

/// A container folder that is brought up to date when a document changes, and twice a minute.
struct ContainerSync: Sendable {
  let container: CloudContainer

  /// Opens the container folder at a path, or the one that has the path in it.
  init(at path: String) async throws {
    guard let folder = try Self.root(around: URL(filePath: path).absoluteURL.standardized) else {
      throw InputError(
        "'\(displayString(path))' is in no folder of a container. 'docpkg cloud init' makes a container, and "
          + "'docpkg cloud add' adds a folder to one.")
    }
    _ = UTType.imageNotes  // The access declares the type, so that a folder of it is one document.
    container = try await CloudContainer.open(
      folder, in: try Self.store(of: folder))
  }

  /// The container folder that a folder is or is in; nil if there is none.
  static func root(around folder: URL) throws -> URL? {
    do {
      _ = try CloudContainer.settings(of: folder)
      return folder
    } catch let error as FilePackageError where error.code == .noSuchFile {
      return folder.path == "/" ? nil : try root(around: folder.deletingLastPathComponent().standardized)
    }
  }

  private static func store(of folder: URL) throws -> any ObjectStore {
    let (address, options) = try CloudContainer.settings(of: folder)
    if !address.contains("://") { return RetryingStore(try FolderStore(at: URL(filePath: address))) }
    let settings = try S3Settings(profile: options["profile"])
    let place = try S3Address(
      address, endpoint: options["endpoint"] ?? settings.endpoint,
      region: options["region"] ?? settings.region ?? "us-east-1", allowsPlain: options["allowsPlain"] != nil)
    return RetryingStore(try S3Store(at: place, settings: settings))
  }

  /// Syncs until the task is cancelled. An error that does not pass by itself ends the syncing alone: the documents are
  /// still served.
  func run() async {
    let (moments, moment) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let query = DocumentQuery(DocumentSearch(in: [container.url], for: [.item]))
    query.start()
    let changes = Task { for await update in query { if case .updated = update { moment.yield() } } }
    let times = Task {
      while !Task.isCancelled {
        moment.yield()
        try await Task.sleep(for: .seconds(30))
      }
    }
    defer {
      changes.cancel()
      times.cancel()
    }
    var told: Set<String> = []
    for await _ in moments {
      var problems: [String] = []
      do {
        problems = try await container.sync().documents.compactMap { document in
          document.error.map { "'\(displayString(document.name))': \($0)" }
        }
      } catch {
        if Task.isCancelled { return }
        problems = ["\(error)"]
        guard Self.mayPass(error) else {
          return Serve.warn("\(error)\ndocpkg: the container is not synced any more")
        }
      }
      // A problem that stays is told once.
      for problem in problems where !told.contains(problem) { Serve.warn(problem) }
      told = Set(problems)
    }
  }

  /// Whether a later run may succeed without a change by the user, or after the user mounted a disk.
  private static func mayPass(_ error: any Error) -> Bool {
    switch error {
    case let error as ObjectStoreError: error.isTransient || [.noSuchStore, .noSpace].contains(error.code)
    case let error as FilePackageError: error.code == .busy
    default: false
    }
  }
}
