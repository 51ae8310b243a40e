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
