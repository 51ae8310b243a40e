import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport

/// Imports the bytes as an archive, and checks the disk afterwards. The first byte chooses the options.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzArchive(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  return runFuzzedInput { try await run(bytes) }
}

/// A folder, in memory if possible. An import must leave nothing beside it.
private let scene: URL = {
  let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
  let base =
    FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
  return base.appending(path: "fuzz-archive-\(getpid())/scene", directoryHint: .isDirectory)
}()

private func run(_ bytes: [UInt8]) async throws {
  guard let flags = bytes.first else { return }
  let files = FileManager.default
  let around = scene.deletingLastPathComponent()
  let archive = around.appending(path: "archive")
  try files.createDirectory(at: scene, withIntermediateDirectories: true)
  try Data(flags & 1 == 0 ? Array(bytes.dropFirst()) : withChecksums(bytes.dropFirst())).write(to: archive)
  var expected: [String] = []
  do {
    let package = scene.appending(path: "Trip.pack")
    _ = try await PackageStore.importArchive(at: archive, to: package, options: options(flags))
    expected = ["Trip.pack"]
  } catch is ArchiveError {
    // An error is a valid result, but it must leave no other file.
  }
  let found = try files.contentsOfDirectory(atPath: scene.path)
  precondition(found == expected, "there is \(found)")
  let outside = try files.contentsOfDirectory(atPath: around.path).sorted()
  precondition(outside == ["archive", "scene"], "there is \(outside)")
  try files.removeItem(at: scene)
}

private func options(_ flags: UInt8) -> ImportOptions {
  var options = ImportOptions()
  options.limits.bytes = 8 << 20
  options.limits.entries = 1000
  if flags & 16 != 0 { options.topFolder = .isKept }
  options.includesAppleDouble = flags & 32 != 0
  options.allowsLinksOutside = flags & 64 != 0
  if flags & 128 != 0 { options.passphrase = "secret" }
  return options
}

/// Returns a tar with correct checksums in its headers, so that the fuzzer reaches the code behind that check.
private func withChecksums(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  var bytes = Array(bytes)
  for start in stride(from: 0, to: bytes.count - 511, by: 512)
  where bytes[start + 257..<start + 262].elementsEqual("ustar".utf8) {
    for index in start + 148..<start + 156 { bytes[index] = UInt8(ascii: " ") }
    let sum = String(bytes[start..<start + 512].reduce(0) { $0 + Int($1) }, radix: 8)
    let field = String(repeating: "0", count: 6 - sum.count) + sum + "\0 "
    bytes.replaceSubrange(start + 148..<start + 156, with: field.utf8)
  }
  return bytes
}
