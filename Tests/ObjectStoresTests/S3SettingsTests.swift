import Foundation
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("The settings of an S3 service", .temporaryDirectory)
struct S3SettingsTests {
  /// Writes awscli's files, and returns the environment that leads to them.
  static func write(config: String = "", keys: String = "", in folder: FilePath) throws -> [String: String] {
    let place = folder.appending(".aws").string
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for (name, text) in [("config", config), ("credentials", keys)] where !text.isEmpty {
      try Data(text.utf8).write(to: URL(filePath: "\(place)/\(name)"))
      chmod("\(place)/\(name)", 0o600)
    }
    return ["HOME": folder.string]
  }

  static func found(_ settings: S3Settings) async throws -> S3Credentials {
    try await settings.findKeys().credentials(at: Date())
  }

  @Test func `give the keys of the environment, or of a profile`() async throws {
    let keys = """
      # awscli
      [default]
      aws_access_key_id = AKDEFAULT
      aws_secret_access_key=secret-default
      [work]
        aws_access_key_id=AKWORK
        aws_secret_access_key = secret-work
        aws_session_token = token
      """
    let environment = try Self.write(
      config: "[default]\nregion = eu-1\n[profile work]\nregion=eu-2\n", keys: keys, in: folder)
    let first = try S3Settings(environment: environment)
    #expect(try await Self.found(first).accessKeyID == "AKDEFAULT")
    #expect(first.region == "eu-1" && first.warning == nil)
    for work in [
      try S3Settings(profile: "work", environment: environment),
      try S3Settings(environment: environment.merging(["AWS_PROFILE": "work"]) { $1 }),
    ] {
      let found = try await Self.found(work)
      #expect(found.secretAccessKey == "secret-work" && found.sessionToken == "token")
      #expect(work.region == "eu-2")
    }
    let keyed = environment.merging(["AWS_ACCESS_KEY_ID": "AKENV", "AWS_SECRET_ACCESS_KEY": "s"]) { $1 }
    #expect(try await Self.found(S3Settings(environment: keyed)).accessKeyID == "AKENV")
    // A profile that the caller names counts more.
    #expect(try await Self.found(S3Settings(profile: "work", environment: keyed)).accessKeyID == "AKWORK")
    let path = folder.appending(".aws/credentials").string
    chmod(path, 0o644)
    #expect(
      try S3Settings(environment: environment).warning
        == "Other users can read the keys in '\(path)'; run: chmod 600 '\(path)'")
  }

  static let endpoints = """
    [default]
    endpoint_url = http://global
    services = dev
    ca_bundle = /own.pem
    [profile plain]
    endpoint_url = http://plain
    s3 =
      addressing_style = path
    [profile ignored]
    ignore_configured_endpoint_urls = true
    endpoint_url = http://ignored
    [services dev]
    ec2 =
      endpoint_url = http://ec2
    s3 =
      endpoint_url = http://s3
    """

  @Test(
    arguments: [
      ([:], "http://s3", "/own.pem"),
      (["AWS_ENDPOINT_URL": "http://all"], "http://all", "/own.pem"),
      (["AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_S3": "http://one"], "http://one", "/own.pem"),
      (["AWS_ENDPOINT_URL_S3": "", "AWS_CA_BUNDLE": "/theirs.pem"], "http://s3", "/theirs.pem"),
      (["AWS_PROFILE": "plain"], "http://plain", nil), (["AWS_PROFILE": "ignored"], nil, nil),
      (["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true", "AWS_ENDPOINT_URL": "http://all"], nil, "/own.pem"),
    ] as [([String: String], String?, String?)])
  func `give the server and the authorities in awscli's order`(
    more: [String: String], endpoint: String?, certificates: String?
  ) throws {
    let environment = try Self.write(config: Self.endpoints, in: folder).merging(more) { $1 }
    let settings = try S3Settings(environment: environment)
    #expect(settings.endpoint == endpoint && settings.certificates == certificates)
  }

  @Test func `that cannot be read are an error, and not those of nobody`() throws {
    let place = folder.appending(".aws").string
    try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: place)
    #expect(throws: CocoaError.self) { try S3Settings(environment: ["HOME": folder.string]) }
    // Nothing is there.
    _ = try S3Settings(environment: ["HOME": folder.appending("none").string])
    _ = try S3Settings(environment: ["HOME": "/dev/null"])
  }

  @Test(
    arguments: [
      ("none", "", [:], "There is no profile 'none' in"),
      (
        "a", "[profile a]\nsso_session = corp\n", [:],
        "signs in by SSO (sso_session), which is not supported."
      ),
      (
        "a", "[profile a]\nrole_arn = arn\n", [:],
        "credential_process = aws configure export-credentials --profile a"
      ),
      (
        "a", "[profile a]\naws_access_key_id = AK\n", [:],
        "has aws_access_key_id, and no aws_secret_access_key. Set both"
      ),
      ("a", "[profile a]\ncredential_process = \"open\n", [:], "with an open quotation mark"),
      (
        nil, "", ["AWS_SECRET_ACCESS_KEY": "hush"],
        "The environment has AWS_SECRET_ACCESS_KEY, and no AWS_ACCESS_KEY_ID"
      ),
      (nil, "", ["AWS_WEB_IDENTITY_TOKEN_FILE": "/token"], "AWS_WEB_IDENTITY_TOKEN_FILE"),
      (nil, "", [:], "There are no keys. Set AWS_ACCESS_KEY_ID"),
    ] as [(String?, String, [String: String], String)])
  func `say why there are no keys`(
    profile: String?, config: String, more: [String: String], words: String
  ) throws {
    let environment = try Self.write(config: config, in: folder).merging(more) { $1 }
    let problem = #expect(throws: S3Settings.Problem.self) {
      try S3Settings(profile: profile, environment: environment).findKeys()
    }
    let text = problem?.description ?? ""
    #expect(text.contains(words) && !text.contains("hush"), "\(text)")
  }
}
