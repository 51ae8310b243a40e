import AppleDocuments
import Documents
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A place that notes what it is asked for.
private final class NotingProvider: DocumentProvider {
  private let names = Mutex<[String]>([])
  var asked: [String] { names.withLock { $0 } }

  func provide(itemAt url: URL, progress: @escaping @Sendable (UInt64, UInt64) -> Void) async throws {
    names.withLock { $0.append(url.lastPathComponent) }
  }
}

@Suite("The place that provides a document", .temporaryDirectory)
struct ProviderTests {
  @Test func `is that of the innermost folder`() async throws {
    var (folder, folders, providers) = (url(""), [URL](), [NotingProvider]())
    for name in ["a", "b", "c", "d"] {
      folder = folder.appending(path: name, directoryHint: .isDirectory)
      folders.append(folder)
      providers.append(NotingProvider())
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (folder, provider) in zip(folders, providers) { DocumentProviders.add(provider, for: folder) }
    defer { for folder in folders { DocumentProviders.remove(for: folder) } }
    for (number, folder) in folders.enumerated() {
      let file = folder.appending(path: "\(number).txt")
      try Data().write(to: file)
      // The call waits, and all other tests need the threads of this one.
      try await waiting { NSFileCoordinator().coordinate(readingItemAt: file, error: nil) { _ in } }
    }
    #expect(providers.map(\.asked) == [["0.txt"], ["1.txt"], ["2.txt"], ["3.txt"]])
  }
}
