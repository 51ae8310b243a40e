import CloudContainers
import DurableIO
import FilePackages
import FoundationEssentials
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport

/// Takes the bytes as a page of a document's tree, and as a list of pieces, and downloads the document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTree(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let bytes = Data(bytes: start + 1, count: count - 1)
  let flags = start[0]
  return runFuzzedInput { try await run(bytes, flags) }
}

private func run(_ bytes: Data, _ flags: UInt8) async throws {
  let blobs = BlobStore(MemoryStore())
  try await readList(bytes, flags, blobs)
  do throws(TreePage.Problem) {
    let page = try TreePage(decoding: bytes)
    precondition(page.bytes == bytes, "two encodings of one page")
    try await download(page, flags, blobs)
  } catch {
    return
  }
}

/// Reads the bytes as a list of pieces.
private func readList(_ bytes: Data, _ flags: UInt8, _ blobs: BlobStore) async throws {
  let name = try await blobs.put(bytes)
  let content = FileContent(
    size: UInt64(flags), hash: .empty, modified: FileTime(seconds: 0, nanoseconds: 0),
    list: name)
  var sum: UInt64 = 0
  do {
    try await content.forEachPiece(in: blobs) { piece, offset in
      precondition(offset == sum && piece.size > 0)
      sum += piece.size
    }
    precondition(sum == content.size)
  } catch {
    precondition(error is CloudDataError, "\(error)")
  }
}

/// Downloads a document with the page's entries, and with bytes that are there.
private func download(_ page: TreePage, _ flags: UInt8, _ blobs: BlobStore) async {
  do {
    var items: [TreeItem] = []
    for item in page.items {
      guard case .entry(var entry) = item, case .file(var content) = entry.kind else {
        items.append(item)
        continue
      }
      let bytes = Data(repeating: 7, count: Int(content.size % 50))
      if !bytes.isEmpty { try await blobs.put(bytes) }
      (content.size, content.hash, content.list) = (UInt64(bytes.count), BlobName(of: bytes).hash, nil)
      entry.kind = .file(content)
      items.append(.entry(entry))
    }
    let real = TreePage(level: page.level, items: items)
    var totals = TreeTotals()
    for item in items { totals = totals.adding(item.totals) ?? totals }
    let root = TreeRoot(page: try await blobs.put(real.bytes), totals: totals)
    let disk = try CrashDisk(["Other": ["text": "of another document"]])
    let base = try await DocumentTree.store([], in: blobs)
    let hasBase = flags & 1 == 1
    if hasBase {
      try await DocumentDownload(to: "/Trip.pkg", isPackage: true, isNew: true, [], in: blobs, on: disk).run()
    }
    let before = disk.tree
    do {
      let differences = try await DocumentTree.differences(
        from: hasBase ? base : nil, to: root, in: blobs, limits: .document)
      try await DocumentDownload(
        to: "/Trip.pkg", isPackage: flags & 2 == 0 || hasBase, isNew: !hasBase, differences, in: blobs,
        on: disk
      ).run()
      precondition(disk.tree.entries.keys.sorted() == ["Other", "Trip.pkg"], "\(disk.tree)")
      precondition(disk.tree["Other"] == ["text": "of another document"])
      if flags & 2 == 0 || hasBase {
        let report = try await PackageStore.open("/Trip.pkg", on: disk).verify()
        precondition(report.isWhole, "\(report)")
      }
    } catch {
      precondition(error is CloudDataError || error is FilePackageError, "\(error)")
      precondition(disk.tree == before, "\(error)")
    }
  } catch {
    preconditionFailure("\(error)")
  }
}
