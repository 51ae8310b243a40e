import DurableIO
public import FoundationEssentials
import Glibc

/// The settings of a profile, from the environment and awscli's files, in awscli's order of precedence.
public struct S3Settings: Sendable {
  /// The reason why the settings have no usable profile or keys, with the remedy.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line for a user.
    public let description: String
  }

  /// The name of the profile.
  public let profile: String
  /// The region; nil if none is set.
  public var region: String? {
    environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? config["region"]
  }

  let environment: [String: String]
  /// The section of the profile in the file of settings, and in the file of keys.
  let config: [String: String]
  let keys: [String: String]
  let configPath: String
  let keysPath: String
  /// Whether the caller named the profile, so that it counts more than keys in the environment.
  let isNamed: Bool
  /// The section of services that the profile names.
  private let services: [String: String]

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - profile: the section of the files; nil for `AWS_PROFILE`, or else `default`.
  ///   - environment: the variables of the process. An empty one counts as none.
  /// - Throws: `Problem` if there is no such profile; a `CocoaError` if an existing file cannot be read.
  public init(
    profile: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let environment = environment.filter { !$0.value.isEmpty }
    let home = environment["HOME"] ?? ""
    (self.environment, isNamed) = (environment, profile != nil)
    let name = profile ?? environment["AWS_PROFILE"] ?? environment["AWS_DEFAULT_PROFILE"]
    let profile = name ?? "default"
    self.profile = profile
    keysPath = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? home + "/.aws/credentials"
    configPath = environment["AWS_CONFIG_FILE"] ?? home + "/.aws/config"
    let settings = try Self.sections(of: configPath)
    let config = settings["profile " + profile] ?? (profile == "default" ? settings[profile] : nil)
    let keys = try Self.sections(of: keysPath)[profile]
    if let name, config == nil, keys == nil {
      throw Problem(
        description: "There is no profile '\(name)' in '\(configPath)' or '\(keysPath)'. Name another one.")
    }
    (self.config, self.keys) = (config ?? [:], keys ?? [:])
    services = self.config["services"].flatMap { settings["services " + $0] } ?? [:]
  }

  /// The server's address; nil for Amazon's.
  public var endpoint: String? {
    let ignored =
      environment["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] ?? config["ignore_configured_endpoint_urls"]
    if ignored?.lowercased() == "true" { return nil }
    return environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"]
      ?? services["s3.endpoint_url"] ?? config["endpoint_url"]
  }

  /// The path of the file with the certificates of the trusted authorities; nil for those of the system.
  public var certificates: String? { environment["AWS_CA_BUNDLE"] ?? config["ca_bundle"] }

  /// A warning if other users of this machine can read the file with the keys; otherwise nil.
  public var warning: String? {
    guard let path = [(keysPath, keys), (configPath, config)].first(where: { $1[Self.secret] != nil })?.0,
      environment["AWS_SECRET_ACCESS_KEY"] == nil || isNamed
    else { return nil }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
    return "Other users can read the keys in '\(path)'; run: chmod 600 '\(path)'"
  }

  private static let secret = "aws_secret_access_key"

  // MARK: Files

  /// Reads a file of sections `[name]` with lines `key = value`; no sections if there is no file.
  ///
  /// Indented lines below a key without a value belong to the key: they become `key.inner`.
  private static func sections(of path: String) throws -> [String: [String: String]] {
    var status = stat()
    if stat(path, &status) != 0, [ENOENT, ENOTDIR].contains(errno) { return [:] }
    let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    var sections: [String: [String: String]] = [:]
    var (name, outer) = ("", "")
    for whole in text.split(whereSeparator: \.isNewline) {
      let line = whole.drop(while: \.isWhitespace)
      if line.first == "#" || line.first == ";" { continue }
      if line.first == "[", let end = line.firstIndex(of: "]") {
        (name, outer) = (words(line[line.index(after: line.startIndex)..<end]), "")
        sections[name] = sections[name] ?? [:]
      } else if let equals = line.firstIndex(of: "=") {
        let key = words(line[..<equals]).lowercased()
        let value = line[line.index(after: equals)...].trimmed()
        let isInner = whole.first?.isWhitespace == true
        if !isInner { outer = value.isEmpty ? key + "." : "" }
        sections[name, default: [:]][(isInner ? outer : "") + key] = value
      }
    }
    return sections
  }

  /// Returns a text with one space between its words.
  private static func words(_ text: Substring) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
