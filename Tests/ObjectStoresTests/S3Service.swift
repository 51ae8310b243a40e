import Foundation
import Testing

import ObjectStores

/// The S3 service that the environment names, as `Tests/long/run ceph` does. Any other service passes the same tests.
struct S3Service: Sendable {
  var endpoint: String
  var bucket: String
  var credentials: S3Credentials

  static let ofEnvironment: S3Service? = {
    let environment = ProcessInfo.processInfo.environment
    guard let endpoint = environment["S3_TEST_ENDPOINT"], let bucket = environment["S3_TEST_BUCKET"],
      let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"]
    else { return nil }
    return S3Service(
      endpoint: endpoint, bucket: bucket, credentials: S3Credentials(accessKeyID: id, secretAccessKey: secret)
    )
  }()

  func store(
    prefix: String = "", credentials: S3Credentials? = nil, transport: HTTPClient = .shared,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> S3Store {
    let address = try S3Address("s3://\(bucket)/\(prefix)", endpoint: endpoint)
    return S3Store(at: address, keys: S3Keys(credentials ?? self.credentials), transport: transport, now: now)
  }

  /// Makes the bucket.
  func makeBucket() async throws {
    let server = try S3Address("s3://\(bucket)", endpoint: endpoint)
    var request = HTTPRequest(
      method: "PUT", isEncrypted: server.isEncrypted, host: server.host, port: server.port,
      path: "/\(bucket)", query: "", headers: [:], body: Data())
    SignatureV4(credentials, region: server.region).sign(&request, at: Date())
    #expect(try await HTTPClient.shared.send(request, limit: 1 << 20).status == 200)
  }
}
