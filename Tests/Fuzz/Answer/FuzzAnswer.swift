import ObjectStores

/// Reads an answer of a server at once, a byte at a time, and in pieces of other sizes: the result is the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAnswer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let method = ["GET", "HEAD", "PUT", "CONNECT"][Int(start[0] & 3)]
  let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
  let whole = outcome(of: bytes, in: max(bytes.count, 1), method)
  precondition(whole == outcome(of: bytes, in: 1, method), "a byte at a time makes another answer")
  precondition(whole == outcome(of: bytes, in: 2 + Int(start[0] >> 2), method), "pieces make another answer")
  if case .success(let answer) = whole {
    precondition(answer.body.count <= limit && answer.body.count < count, "the body has bytes of its own")
    precondition(
      (200...999).contains(answer.status) && answer.headers.keys.allSatisfy { $0 == $0.lowercased() })
  }
  return 0
}

private let limit = 1_000

private func outcome(
  of bytes: UnsafeRawBufferPointer, in size: Int, _ method: String
) -> Result<HTTPResponse, HTTPFailure> {
  var reader = HTTPAnswerReader(method: method, limit: limit)
  do throws(HTTPFailure) {
    for start in stride(from: 0, to: bytes.count, by: size) {
      try reader.read(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)]))
    }
    return .success(try reader.end())
  } catch {
    return .failure(error)
  }
}
