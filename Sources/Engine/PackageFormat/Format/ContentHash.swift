/// A SHA-256, as a value without a heap allocation.
package struct ContentHash: Hashable, Sendable {
  package static let count = 32
  private var words: Words

  /// The bytes in the order of memory. A SIMD vector would have an alignment of 32 bytes, which the compiler does not
  /// give to values that live across an `await`.
  struct Words: Hashable, Sendable {
    package var first: UInt64 = 0
    var second: UInt64 = 0
    var third: UInt64 = 0
    var fourth: UInt64 = 0
  }

  init(words: Words) {
    self.words = words
  }

  /// Makes a hash of its bytes; nil unless there are exactly 32 bytes.
  package init?(bytes: ArraySlice<UInt8>) {
    guard bytes.count == Self.count else { return nil }
    words = bytes.withUnsafeBytes { $0.loadUnaligned(as: Words.self) }
  }

  /// Hashes bytes.
  package init(of bytes: UnsafeRawBufferPointer) {
    var hash = SHA256()
    hash.update(bytes)
    self = hash.finalize()
  }

  package init(of bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ContentHash(of: $0) }
  }

  /// The hash of no bytes.
  package static let empty = ContentHash(of: [])

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: words, body)
  }

  package var bytes: [UInt8] { withUnsafeBytes(Array.init) }
}
