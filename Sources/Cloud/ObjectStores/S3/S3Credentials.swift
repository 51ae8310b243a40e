/// The keys that sign requests. A description has only four characters of `accessKeyID`, and no secret.
public struct S3Credentials: Sendable, Hashable {
  /// The name of the key.
  public var accessKeyID: String
  /// The secret, which no request contains.
  public var secretAccessKey: String
  /// The token of temporary credentials; nil for permanent ones.
  public var sessionToken: String?

  /// Makes credentials.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    (self.accessKeyID, self.secretAccessKey, self.sessionToken) = (accessKeyID, secretAccessKey, sessionToken)
  }
}

// A log, a debugger and an error get no secret.
extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line for a user.
  public var description: String { "the access key \(accessKeyID.prefix(4))…" }
  /// The same as `description`, without a secret.
  public var debugDescription: String { description }
  /// A mirror without a secret.
  public var customMirror: Mirror { Mirror(self, children: [("accessKeyID", "\(accessKeyID.prefix(4))…")]) }
}
