import Crypto
import Foundation

/// The file of a folder's secret. A server that starts again has the same one, so that open pages go on.
enum ServerKey {
  /// Returns the key of a folder, which only this user can read, and makes it if there is none.
  ///
  /// - Parameter state: the folder of keys; nil for a new key each time.
  static func key(of folder: URL, in state: URL?) throws -> String {
    guard let state else { return random() }
    let file = PrivateFile(state.appending(path: digest(folder.standardized.path) + ".key"))
    while true {
      if let text = try file.read() {
        // A key that another user may read is no key, and neither is one of another program.
        if try file.isPrivate, text.utf8.count == 43 { return text }
        try file.remove()
      }
      let key = random()
      // Otherwise another server of the folder makes it at this moment.
      if try file.create(key) { return key }
    }
  }

  /// 256 random bits as a word for an address.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return word(of: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The word that stands for a text.
  static func digest(_ text: String, bytes: Int = 32) -> String {
    word(of: SHA256.hash(data: Data(text.utf8)).prefix(bytes))
  }

  /// Bytes in base 64 for addresses, without padding.
  static func word(of bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }
}
