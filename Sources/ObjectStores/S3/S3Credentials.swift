public import FoundationEssentials
import Glibc

/// The keys with which requests are signed. They are in no description.
public struct S3Credentials: Sendable, Hashable {
  /// The name of the key.
  public var accessKeyID: String
  /// The secret, which no request contains.
  public var secretAccessKey: String
  /// The token of temporary credentials; nil for lasting ones.
  public var sessionToken: String?

  /// Makes credentials.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    (self.accessKeyID, self.secretAccessKey, self.sessionToken) = (accessKeyID, secretAccessKey, sessionToken)
  }

  /// The credentials that the environment or awscli's files have.
  public struct Found: Sendable, Hashable {
    /// The keys.
    public var credentials: S3Credentials
    /// The region that awscli's files give for the profile; nil if they give none.
    public var region: String?
    /// A warning for the user: other users of this machine can read the file with the keys.
    public var warning: String?
  }

  /// Looks for credentials as awscli does: in the environment, and then in the file of credentials.
  ///
  /// - Parameters:
  ///   - profile: the section of the files; nil for `AWS_PROFILE`, or else `default`.
  ///   - environment: the variables of the process.
  /// - Returns: nil if there are none.
  /// - Throws: a `CocoaError` if a file is there and cannot be read.
  public static func find(
    profile: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Found? {
    let name = profile ?? environment["AWS_PROFILE"] ?? "default"
    let home = environment["HOME"] ?? ""
    let keys = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? home + "/.aws/credentials"
    let settings = environment["AWS_CONFIG_FILE"] ?? home + "/.aws/config"
    let config = try sections(of: settings)[name == "default" ? name : "profile " + name] ?? [:]
    let region = environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? config["region"]
    // A profile that the caller names counts more than the environment.
    if profile == nil, let id = environment["AWS_ACCESS_KEY_ID"],
      let secret = environment["AWS_SECRET_ACCESS_KEY"]
    {
      let token = environment["AWS_SESSION_TOKEN"]
      return Found(
        credentials: S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token),
        region: region)
    }
    for (path, section) in [(keys, try sections(of: keys)[name] ?? [:]), (settings, config)] {
      guard let id = section["aws_access_key_id"], let secret = section["aws_secret_access_key"] else {
        continue
      }
      let token = section["aws_session_token"]
      return Found(
        credentials: S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token),
        region: region, warning: warning(about: path))
    }
    return nil
  }

  private static func warning(about path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
    return "Other users can read the keys in '\(path)'; run: chmod 600 '\(path)'"
  }

  /// Reads a file of sections `[name]` with lines `key = value`; no sections if there is no file.
  private static func sections(of path: String) throws -> [String: [String: String]] {
    guard access(path, F_OK) == 0 else { return [:] }
    let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    var sections: [String: [String: String]] = [:]
    var name = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingPrefix(while: \.isWhitespace)
      if line.first == "#" || line.first == ";" { continue }
      if line.first == "[", let end = line.firstIndex(of: "]") {
        name = trimmed(line[line.index(after: line.startIndex)..<end])
      } else if let equals = line.firstIndex(of: "=") {
        sections[name, default: [:]][trimmed(line[..<equals]).lowercased()] = trimmed(
          line[line.index(after: equals)...])
      }
    }
    return sections
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

// A log, a debugger and an error get no secret.
extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line for a user.
  public var description: String { "the access key \(accessKeyID.prefix(4))…" }
  /// The same, without a secret.
  public var debugDescription: String { description }
  /// A mirror without a secret.
  public var customMirror: Mirror { Mirror(self, children: [("accessKeyID", "\(accessKeyID.prefix(4))…")]) }
}
