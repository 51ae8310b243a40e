import CloudContainers
import FoundationEssentials
import ObjectStores

/// Takes the bytes as a version of a document, as a pack of versions, as an entry of the feed, and as the key of an entry
/// or of a version.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVersion(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let bytes = Data(bytes: start, count: count)
  readVersion(bytes)
  readPack(bytes)
  readEntry(bytes)
  readKey(bytes)
  return 0
}

private func readVersion(_ bytes: Data) {
  do throws(CloudVersion.Problem) {
    let version = try CloudVersion(decoding: bytes)
    precondition(DocumentName.isValid(version.name) && version.sequence > 0)
    precondition(!version.description.contains("\n"))
    // All that a version reads, it writes.
    guard let again = try? version.encoded() else { preconditionFailure("a version that cannot be written") }
    let same = try CloudVersion(decoding: again)
    precondition(same == version)
  } catch {
    precondition(!error.words.isEmpty)
  }
}

private func readPack(_ bytes: Data) {
  guard let pack = HeadPack(decoding: bytes) else { return }
  // All that is read is written, byte for byte.
  precondition(pack.bytes == bytes)
  for entry in pack.entries { readVersion(entry.bytes) }
}

private func readEntry(_ bytes: Data) {
  do throws(FeedEntry.Problem) {
    let entry = try FeedEntry(decoding: bytes)
    // All that is read is written, byte for byte.
    precondition(entry.bytes == bytes && entry.versions.count <= FeedEntry.maximumCount)
  } catch {
    precondition(!error.words.isEmpty)
  }
}

private func readKey(_ bytes: Data) {
  guard let text = String(validating: bytes, as: UTF8.self), let key = ObjectKey(text) else { return }
  if let number = ContainerFeed.number(of: key) { precondition(ContainerFeed.key(number) == key) }
  if let (document, sequence) = CloudVersion.parse(key) {
    precondition(sequence > 0 && CloudVersion.key(of: document, sequence).segments.count == 3)
  }
}
