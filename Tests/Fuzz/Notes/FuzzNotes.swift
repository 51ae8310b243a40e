import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// Opens, verifies and saves a package with a log made from the bytes: as the whole file, as the notes of a save, or as
/// a version.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNotes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  return runFuzzedInput { try await run(bytes) }
}

private func run(_ bytes: [UInt8]) async throws {
  let disk = try CrashDisk()
  let tree = FileWrapper(directoryWithFileWrappers: [:])
  tree.addRegularFile(withContents: Data("text".utf8), preferredFilename: "Text.txt")
  tree.addRegularFile(withContents: Data("other".utf8), preferredFilename: "Other.txt")
  let (made, _) = try await PackageStore.create(
    tree, "/Trip.pkg", contentType: UTType(exportedAs: "com.example.trip"), on: disk)
  guard let metadata = try await made.metadata(), let first = bytes.first else { return }
  let rest = Array(bytes.dropFirst())
  let folder = try disk.openDirectory(at: "/Trip.pkg/.docpkg")
  var (log, reader) = (rest, ByteReader(rest[...]))
  if first & 3 != 0 {
    var ledger = Ledger()
    if first & 3 == 1, var state = try? SavedState(&reader) {
      state.revision = metadata.revision
      ledger.note(state)
    }
    var chain = VersionChain(tip: metadata.revision)
    if first & 3 != 1, let version = try? VersionRecord(&reader) { chain.append(version) }
    let root = try disk.status(of: disk.openDirectory(at: "/Trip.pkg"))
    ledger.setHistory((chain, .standard))
    log = try SaveLog.contents(ledger, of: root)
  }
  try disk.removeFile("log", in: folder)
  try disk.makeFile("log", log, in: folder)

  let store = try await PackageStore.open("/Trip.pkg", on: disk, logCapacity: 8 << 10)
  let report = try await store.verify()
  // Notes that were made up name children that are not there.
  if await store.logDamage != nil || !report.isWhole { _ = try await store.repair(accepting: true) }
  await store.tree.addRegularFile(withContents: Data("new".utf8), preferredFilename: "New.txt")
  if let text = try await store.tree.child(named: "Text.txt") { await store.tree.removeFileWrapper(text) }
  try await store.save()
  _ = try await store.verify()
  _ = try await store.repair(dryRun: true)
  try await store.close()
  _ = try await PackageStore.open("/Trip.pkg", on: disk).verify()
}
