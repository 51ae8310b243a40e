import CloudContainers
import FoundationEssentials
import ObjectStores
import StoreTestSupport
import TestSupport

/// Opens bytes as an encrypted object, as the mark of a container, and as a key file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSecret(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let bytes = Data(bytes: start, count: count)
  return runFuzzedInput { await open(bytes) }
}

private let key = ContainerKey.random()

private func open(_ bytes: Data) async {
  let memory = MemoryStore()
  do {
    try await memory.put(bytes, at: "log/object")
    // No input contains the key.
    do throws(ObjectStoreError) {
      _ = try await EncryptedStore(memory, key: key).get("log/object")
      preconditionFailure("it opens")
    } catch {
      precondition(error.code == .damaged)
    }
    try await memory.put(bytes, at: ContainerMark.key)
    do {
      let found = try await ContainerMark(memory).find()
      precondition(found?.belongs(to: key) == false)
    } catch let error as CloudDataError {
      precondition(!error.description.contains("\n") && error.description.utf8.count < 4_096)
    }
    if let (key, container) = ContainerKey.parse(String(decoding: bytes, as: UTF8.self)) {
      let again = ContainerKey.parse(key.text(container: container))
      precondition(again?.key == key && again?.container == container)
    }
  } catch {
    preconditionFailure("\(error)")
  }
}
