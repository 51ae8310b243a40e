import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("Temporary keys of an S3 service", .temporaryDirectory)
struct S3KeysTests {
  /// A program that prints other keys at each run, and counts its runs. It needs its arguments as they are.
  private static func settings(
    _ body: String, arguments: String = "'one two' $HOME", in folder: FilePath
  ) throws -> S3Settings {
    let program = folder.appending("give keys").string
    try Data("#!/bin/sh\necho >> '\(folder.string)/runs'\n\(body)\n".utf8).write(to: URL(filePath: program))
    chmod(program, 0o700)
    return try S3Settings(
      environment: S3SettingsTests.write(
        config: "[default]\ncredential_process = \"\(program)\" \(arguments)\n", in: folder))
  }

  private static func runs(in folder: FilePath) -> Int {
    FileManager.default.contents(atPath: folder.appending("runs").string)?.count ?? 0
  }

  private static func json(_ more: String = "") -> String {
    """
    n=$(wc -l < "$(dirname "$0")/runs")
    echo "{\\"Version\\": 1, \\"AccessKeyId\\": \\"AK$n\\", \\"SecretAccessKey\\": \\"hush\\", \\"SessionToken\\": \\"t\\"\(more)}"
    """
  }

  @Test func `come from a program, without a shell`() async throws {
    let check = "[ \"$1\" = 'one two' ] && [ \"$2\" = '$HOME' ] && [ $# = 2 ] || exit 9\n"
    let keys = try Self.settings(check + Self.json(), in: folder).findKeys()
    let found = try await keys.credentials(at: Date())
    #expect(found.accessKeyID == "AK1" && found.secretAccessKey == "hush" && found.sessionToken == "t")
    // Keys without an end are asked for once.
    #expect(try await keys.credentials(at: Date(timeIntervalSinceNow: 1e6)) == found)
    #expect(Self.runs(in: folder) == 1)
  }

  @Test func `are renewed before they expire, once for all requests`() async throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027-01-15T08:00:00Z
    let keys = try Self.settings(
      Self.json(", \\\"Expiration\\\": \\\"2027-01-15T10:00:00+01:00\\\""), in: folder
    ).findKeys()
    let first = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await keys.credentials(at: now).accessKeyID } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(first == ["AK1"] && Self.runs(in: folder) == 1)
    #expect(try await keys.credentials(at: now.addingTimeInterval(3_200)).accessKeyID == "AK1")
    // Five minutes before the end there are new ones.
    #expect(try await keys.credentials(at: now.addingTimeInterval(3_310)).accessKeyID == "AK2")
    let error = await #expect(throws: (any Error).self) {
      try await keys.credentials(at: now.addingTimeInterval(3_601))
    }
    #expect("\(String(describing: error))".contains("keys that have expired"))
  }

  @Test(arguments: [
    ("echo hush; exit 3", "ended with status 3"), ("echo '{\"AccessKeyId\": \"hush\"}'", "gave no JSON with"),
    ("kill -9 $$", "was ended by signal 9"),
    (
      "echo '{\"Version\": 2, \"AccessKeyId\": \"hush\", \"SecretAccessKey\": \"hush\"}'",
      "gave keys of another version than 1"
    ),
    ("yes hush | head -c 100000", "prints too much"),
  ])
  func `that a program does not give are an error without a secret`(body: String, words: String) async throws
  {
    let keys = try Self.settings(body, in: folder).findKeys()
    let store = S3Store(at: try S3Address("s3://documents", endpoint: "http://127.0.0.1:1"), keys: keys)
    let error = await #expect(throws: ObjectStoreError.self) { try await store.get("a") }
    let text = error?.description ?? ""
    #expect(
      error?.code == .noKeys && text.contains("give keys' \(words)") && !text.contains("hush"), "\(text)")
  }

  @Test(arguments: ["GET", "PUT", "HEAD"])
  func `that the store calls expired are renewed once`(method: String) async throws {
    let keys = try Self.settings(Self.json(), in: folder).findKeys()
    let server = try S3Server(
      keys: S3Credentials(accessKeyID: "AK2", secretAccessKey: "hush", sessionToken: "t")
    ) { request in
      request.headers["authorization"]?.contains("AK2/") == true ? nil : .refusal(400, "ExpiredToken")
    }
    server.put("a", "bytes")
    let address = try S3Address("s3://\(S3Server.bucket)", endpoint: server.endpoint, region: S3Server.region)
    let store = S3Store(at: address, keys: keys)
    switch method {
    case "GET": #expect(try await store.get("a") == Data("bytes".utf8))
    case "PUT": #expect(try await store.put(Data("b".utf8), at: "b", ifAbsent: true))
    default: #expect(try await store.head("a")?.size == 5)
    }
    #expect(Self.runs(in: folder) == 2 && server.requests.count == 2)
  }
}
