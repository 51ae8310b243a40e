import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The file of a folder's secret. A server that starts again has the same one, so that open pages go on.
enum ServerKey {
  /// Returns the key of a folder, which only this user can read, and makes it if there is none.
  ///
  /// - Parameter state: the folder of keys; nil for a new key each time.
  static func key(of folder: URL, in state: URL?) throws -> String {
    guard let state else { return try random() }
    let path = FilePath(lossless: state.path)
    let name = FileName(word(of: ContentHash(of: Array(folder.standardized.path.utf8)).bytes) + ".key")
    try PosixDisk().makeFolders(at: path)
    while true {
      if let key = try stored(name, in: path) { return key }
      let key = try random()
      // Otherwise another server of the folder makes it at this moment.
      if try store(key, name, in: path) { return key }
    }
  }

  /// Reads a key; nil if there is none. A key that another user may read is no key, and neither is a torn one.
  private static func stored(_ name: FileName, in path: FilePath) throws(SystemError) -> String? {
    let disk = PosixDisk()
    let directory = try disk.openDirectory(at: path)
    if !FileManager.default.fileExists(atPath: path.appending(name).string) { return nil }
    let file = try disk.openFile(name, in: directory)
    let status = try disk.status(of: file)
    let text = String(decoding: try disk.readAll(file, atMost: 256), as: UTF8.self)
    if status.mode & 0o077 == 0, text.utf8.count == 43 { return text }
    try disk.removeFile(name, in: directory)
    return nil
  }

  /// Writes a key; returns false if there is one.
  private static func store(_ key: String, _ name: FileName, in path: FilePath) throws(SystemError) -> Bool {
    let disk = PosixDisk()
    let directory = try disk.openDirectory(at: path)
    if FileManager.default.fileExists(atPath: path.appending(name).string) { return false }
    let file = try disk.createFile(name, in: directory, mode: 0o600)
    try disk.write(Array(key.utf8), to: file, at: 0)
    return true
  }

  /// 256 random bits as a word for an address.
  static func random() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    guard bytes.withUnsafeMutableBytes({ SystemRandom.fill($0) }) else {
      throw SystemError("getrandom", code: .interrupted)
    }
    return word(of: bytes)
  }

  /// Bytes in base 64 for addresses, without padding.
  static func word(of bytes: some Collection<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }
}
