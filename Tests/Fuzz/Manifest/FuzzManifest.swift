import DurableIO
import Dispatch
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// Opens, verifies and saves a package with a manifest made from the bytes: as the whole file, or as its rows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    await run(bytes)
    done.signal()
  }
  done.wait()
  return 0
}

private func run(_ bytes: [UInt8]) async {
  do {
    let disk = try CrashDisk()
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    tree.addRegularFile(withContents: Data("text".utf8), preferredFilename: "Text.txt")
    tree.addRegularFile(withContents: Data("other".utf8), preferredFilename: "Other.txt")
    let (made, _) = try await PackageStore.create(
      tree, "/Trip.pkg", contentType: UTType(exportedAs: "com.example.trip"), on: disk)
    guard let metadata = try await made.metadata(), let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    let manifest =
      first & 1 == 0
      ? rest : ManifestBatch.manifest(metadata.revision, rows: rest, count: Int(first >> 1))
    let package = try disk.openDirectory(at: "/Trip.pkg")
    if (try? disk.status(of: ".docpkg", in: package)) == nil {
      try disk.makeDirectory(".docpkg", in: package, mode: 0o755)
    }
    let folder = try disk.openDirectory(".docpkg", in: package)
    try? disk.removeFile("manifest", in: folder)
    try disk.makeFile("manifest", manifest, in: folder)

    let store = try await PackageStore.open("/Trip.pkg", on: disk, journalCapacity: 8 << 10)
    let report = try await store.verify()
    precondition(report.isWhole, "\(report)")
    await store.tree.addRegularFile(withContents: Data("new".utf8), preferredFilename: "New.txt")
    if let text = try await store.tree.child(named: "Text.txt") { await store.tree.removeFileWrapper(text) }
    try await store.save()
    _ = try await store.verify()
    _ = try await store.repair(dryRun: true)
    try await store.close()
    _ = try await PackageStore.open("/Trip.pkg", on: disk).verify()
  } catch {
    preconditionFailure("\(error)")
  }
}
