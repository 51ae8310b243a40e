import CCipher
package import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

/// The key of an encrypted container: 256 random bits that never change.
///
/// Each machine of the container has it. The store has it only encrypted by a passphrase: see `KeySlot`.
package struct ContainerKey: Sendable, Hashable {
  static let size = Int(CCIPHER_KEY_SIZE)
  let bytes: [UInt8]

  /// Makes a key of these bytes; nil unless there are 32.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  /// Makes a new key.
  package static func random() -> ContainerKey {
    guard let key = ContainerKey(bytes: randomBytes(size)) else { preconditionFailure("32 bytes make a key") }
    return key
  }

  /// Derives a key for one purpose, by HMAC-SHA-256.
  func derived(for purpose: String) -> [UInt8] {
    var code = HMACSHA256(key: bytes)
    code.update(Array("docpkg container\0\(purpose)".utf8))
    return code.finalize().bytes
  }

  // MARK: Key files

  private static let heading = "docpkg-container-key 1 "

  /// The text of a key file: a comment, and a line with the container and the key.
  package func text(container: String) -> String {
    """
    # This file opens all documents of the container. Keep it secret.
    \(Self.heading)\(container) \(Data(bytes).base64EncodedString())

    """
  }

  /// Makes a key file, durably, which only its owner can read. On an error there is none.
  ///
  /// - Throws: the system's reasons, such as that a file of that name is there.
  package static func write(
    _ text: String, to path: FilePath, on disk: any Disk = PosixDisk()
  ) throws(SystemError) {
    guard let last = path.lastComponent else { throw SystemError("openat", code: .isDirectory) }
    let name = FileName(last)
    let folder = try disk.openDirectory(at: path.removingLastComponent())
    let file = try disk.createFile(name, in: folder, mode: 0o600)
    do throws(SystemError) {
      try disk.write(Array(text.utf8), to: file, at: 0)
      try disk.synchronize(file)
      try disk.synchronize(folder)
    } catch {
      try? disk.removeFile(name, in: folder)  // The first error counts.
      throw error
    }
  }

  /// Reads the text of a key file; nil for anything else.
  package static func parse(_ text: String) -> (key: ContainerKey, container: String)? {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
    guard lines.count == 1, lines[0].hasPrefix(heading) else { return nil }
    let parts = lines[0].dropFirst(heading.count).split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])),
      let key = ContainerKey(bytes: [UInt8](bytes))
    else { return nil }
    return (key, String(parts[0]))
  }
}

extension ContainerKey: CustomStringConvertible, CustomReflectable {
  /// No secret: a log or an error may repeat it.
  package var description: String { "the key of a container" }
  /// No secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Returns up to 256 of the kernel's random bytes.
func randomBytes(_ count: Int) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
    while !SystemRandom.fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)) {}
    made = count
  }
}
