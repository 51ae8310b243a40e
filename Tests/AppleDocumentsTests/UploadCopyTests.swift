import AppleDocuments
import FilePackages
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("A coordinated reading for an upload")
struct UploadCopyTests {
  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
  }

  @Test func `gives a copy of a file, which is gone afterwards`() async throws {
    try await withTemporaryDirectory { folder in
      let url = URL(filePath: folder.appending("Note.txt").string)
      try Data("one".utf8).write(to: url)
      let (copy, text) = await onThread { () -> (URL?, String?) in
        var (copy, text): (URL?, String?) = (nil, nil)
        NSFileCoordinator().coordinate(readingItemAt: url, options: .forUploading, error: nil) {
          (copy, text) = ($0, try? String(contentsOf: $0, encoding: .utf8))
        }
        return (copy, text)
      }
      let place = try #require(copy)
      #expect(place != url && place.lastPathComponent == "Note.txt" && text == "one")
      #expect(!FileManager.default.fileExists(atPath: place.path))
    }
  }

  @Test(.timeLimit(.minutes(10))) func `gives a ZIP file of a package, without its versions`() async throws {
    try await withTemporaryDirectory { folder in
      let url = URL(filePath: folder.appending("Trip.album").string, directoryHint: .isDirectory)
      let inside = url.appending(path: "Inside é")
      try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        at: url.appending(path: ".docpkg"), withIntermediateDirectories: true)
      let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try large.write(to: inside.appending(path: "large"))
      try Data().write(to: url.appending(path: "empty"))
      try FileManager.default.createSymbolicLink(
        atPath: url.appending(path: "link").path, withDestinationPath: "empty")
      let zip = URL(filePath: folder.appending("Copy.zip").string)
      let intent = NSFileAccessIntent.readingIntent(with: url, options: .forUploading)
      await withCheckedContinuation { continuation in
        NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { error in
          #expect(error == nil && intent.url.lastPathComponent == "Trip.album.zip")
          try? FileManager.default.copyItem(at: intent.url, to: zip)
          continuation.resume()
        }
      }
      // The intent has its own URL again when the access has ended.
      while intent.url != url { await Task.yield() }
      let target = URL(filePath: folder.appending("Back.album").string, directoryHint: .isDirectory)
      _ = try await PackageStore.importArchive(at: zip, to: target)
      let back = try FileWrapper(url: target, options: .immediate)
      let top = back.fileWrappers?["Trip.album"] ?? back
      #expect(top.fileWrappers?["Inside é"]?.fileWrappers?["large"]?.regularFileContents == large)
      #expect(top.fileWrappers?["empty"]?.regularFileContents == Data())
      #expect(top.fileWrappers?["link"]?.symbolicLinkDestinationURL?.relativePath == "empty")
      let names = Set((top.fileWrappers ?? [:]).keys).subtracting(["Metadata.plist"])
      #expect(names == ["Inside é", "empty", "link"])
    }
  }
}
