import Crypto
import Foundation

/// The secret of one folder, by which its server and its pages know each other after the server starts again.
///
/// It is in the key file, in the server, and in the memory of pages. No address and no cookie has it, and no request
/// sends it: a proof is a HMAC-SHA-256 (RFC 2104) over the role, the server's own host, and the other side's number. So
/// a program that takes the server's port gets nothing, and cannot use the server at another port to prove anything.
struct FolderSecret: Sendable {
  /// Who proves that it knows the secret.
  enum Role: String, Sendable {
    case server, page
  }

  /// The secret as a word, for the pages of this server.
  let word: String

  /// The name below `localhost` that only this folder's server has, so that no other server gets its cookies.
  var label: String {
    digest("host").prefix(10).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The proof for a number that the other side chose.
  func proof(of role: Role, host: String, _ number: String) -> String {
    ServerKey.word(of: digest("\(role.rawValue) \(host) \(number)"))
  }

  private func digest(_ message: String) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: SymmetricKey(data: Data(word.utf8)))
  }
}
