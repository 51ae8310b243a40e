import FoundationEssentials
import ObjectStores
import TestSupport

/// Lists a bucket whose server answers with the bytes, as a listing or as an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzListing(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let server = FixedAnswer(
    status: [200, 403, 500, 301][Int(start[0] & 3)], body: Data(bytes: start + 1, count: count - 1))
  return runFuzzedInput { try await list(from: server) }
}

private func list(from server: FixedAnswer) async throws {
  let address = try S3Address("s3://bucket/prefix", endpoint: "http://127.0.0.1:1")
  let credentials = S3Credentials(accessKeyID: "name", secretAccessKey: "secret")
  let store = S3Store(at: address, keys: S3Keys(credentials), transport: server)
  do throws(ObjectStoreError) {
    let listing = try await store.list("", after: nil, limit: 1_000)
    let keys = listing.objects.map(\.key)
    precondition(server.status == 200 && zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    precondition(listing.objects.allSatisfy { $0.size >= 0 && ObjectKey($0.key.string) == $0.key })
  } catch {
    precondition(!error.description.contains("\n") && error.description.utf8.count < 4_096)
  }
}

/// A server with one answer.
private struct FixedAnswer: HTTPTransport {
  var status: Int
  var body: Data

  func send(_ request: HTTPRequest, limit: Int) async throws(HTTPFailure) -> HTTPResponse {
    HTTPResponse(status: status, body: body)
  }
}
