/// The frequencies of the bytes of a sample, which tell whether compression is worth its time.
enum ByteFrequencies {
  /// Returns whether the bytes are all about equally frequent, as in pictures, films and compressed files.
  ///
  /// Such bytes have a collision entropy of 7.8 bits or more of 8, so a code for single bytes saves at most a fortieth.
  static func areEven(in sample: UnsafeRawBufferPointer) -> Bool {
    var counts = [UInt32](repeating: 0, count: 256)
    for byte in sample { counts[Int(byte)] += 1 }
    let squares = counts.reduce(into: UInt64(0)) { $0 += UInt64($1) * UInt64($1) }
    let count = UInt64(sample.count)
    return squares * 256 * 100 <= count * count * 115
  }
}
