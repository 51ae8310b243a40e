/// The hash XXH64 with seed 0, whose low half is the checksum of a Zstandard frame (RFC 8878, 3.1.1).
///
/// It is ours, since libarchive writes no checksum and offers no hash of this kind.
struct XXHash64 {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5
  )
  private static let stripeSize = 32

  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (
    primes.0 &+ primes.1, primes.1, 0, 0 &- primes.0
  )
  /// The bytes after the last whole stripe.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  init() { rest.reserveCapacity(Self.stripeSize) }

  /// Hashes the next bytes.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count &+= UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let part = bytes.prefix(Self.stripeSize - rest.count)
      rest.append(contentsOf: part)
      bytes = bytes.dropFirst(part.count)
      if rest.count < Self.stripeSize { return }
      rest.withUnsafeBytes { consume($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / Self.stripeSize * Self.stripeSize
    consume(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
    rest.append(contentsOf: bytes.dropFirst(whole))
  }

  /// The hash of all bytes so far.
  var value: UInt64 {
    let (p1, p2, p3, p4, p5) = Self.primes
    var hash = count
    if count >= UInt64(Self.stripeSize) {
      var sum = Self.rotated(lanes.0, 1) &+ Self.rotated(lanes.1, 7)
      sum = sum &+ Self.rotated(lanes.2, 12) &+ Self.rotated(lanes.3, 18)
      for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
        sum = (sum ^ Self.round(0, lane)) &* p1 &+ p4
      }
      hash &+= sum
    } else {
      hash &+= p5
    }
    rest.withUnsafeBytes { bytes in
      var place = 0
      while place + 8 <= bytes.count {
        hash ^= Self.round(0, bytes.word(at: place))
        hash = Self.rotated(hash, 27) &* p1 &+ p4
        place += 8
      }
      if place + 4 <= bytes.count {
        let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        hash ^= UInt64(half) &* p1
        hash = Self.rotated(hash, 23) &* p2 &+ p3
        place += 4
      }
      for byte in bytes[place...] {
        hash ^= UInt64(byte) &* p5
        hash = Self.rotated(hash, 11) &* p1
      }
    }
    hash = (hash ^ hash >> 33) &* p2
    hash = (hash ^ hash >> 29) &* p3
    return hash ^ hash >> 32
  }

  /// The checksum of a frame with these bytes, as the frame has it.
  var frameChecksum: [UInt8] {
    let low = UInt32(truncatingIfNeeded: value)
    return (0..<4).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
  }

  private mutating func consume(_ stripes: UnsafeRawBufferPointer) {
    var (first, second, third, fourth) = lanes
    for place in stride(from: 0, to: stripes.count, by: Self.stripeSize) {
      first = Self.round(first, stripes.word(at: place))
      second = Self.round(second, stripes.word(at: place + 8))
      third = Self.round(third, stripes.word(at: place + 16))
      fourth = Self.round(fourth, stripes.word(at: place + 24))
    }
    lanes = (first, second, third, fourth)
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* primes.1, 31) &* primes.0
  }

  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the little-endian number at a place.
  fileprivate func word(at place: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }
}
