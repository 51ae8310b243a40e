import CloudContainers
import FoundationEssentials
import ObjectStores

/// Takes the bytes as a version of a document, as a snapshot, as an entry of the log, and as the key of an entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVersion(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let bytes = Data(bytes: start, count: count)
  readVersion(bytes)
  readSnapshot(bytes)
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

private func readSnapshot(_ bytes: Data) {
  guard let snapshot = LogSnapshot(decoding: bytes) else { return }
  // All that is read is written, byte for byte.
  precondition(snapshot.bytes == bytes)
}

private func readEntry(_ bytes: Data) {
  do throws(LogEntry.Problem) {
    let entry = try LogEntry(decoding: bytes)
    // All that is read is written, byte for byte.
    precondition(entry.bytes == bytes && entry.changes.count <= LogEntry.maximumChanges)
  } catch {
    precondition(!error.words.isEmpty)
  }
}

private func readKey(_ bytes: Data) {
  guard let text = String(validating: bytes, as: UTF8.self), let key = ObjectKey(text) else { return }
  if let number = ContainerLog.number(of: key) { precondition(ContainerLog.key(number) == key) }
}
