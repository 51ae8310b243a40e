import CLinux

/// The kernel's random bytes: getrandom(2).
package enum SystemRandom {
  /// Fills `bytes`, up to 256.
  ///
  /// Cost: one call, and no descriptor.
  ///
  /// - Returns: false if a signal broke the call off, in the first seconds of a machine.
  package static func fill(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    getrandom(bytes.baseAddress, bytes.count, 0) == bytes.count
  }
}
