package import DurableIO
package import FoundationEssentials

/// The contents of a benchmark's packages: files of one size in one flat folder, and the metadata.
///
/// The bytes are random, so that they do not compress, and the same in every run. The model makes them again for
/// each use, so a model of 100,000 children needs 4 bytes for each.
package struct ModelPackage: Sendable {
  /// The metadata file's name, as in every package.
  package static let metadataName: FileName = "Metadata.plist"

  /// Bytes of each child.
  package let size: Int
  /// The number of children that each change replaces.
  package let changedCount: Int
  /// Bytes of the metadata file.
  private static let metadataSize = 1_400
  /// The number of the last change of each child.
  private var versions: [UInt32]
  /// The number of changes so far.
  private(set) var generation: UInt32 = 0

  /// Makes a package of `childCount` children of `size` bytes. Each change replaces `changedCount` of them.
  package init(childCount: Int, changedCount: Int, size: Int) {
    precondition((0...childCount).contains(changedCount), "the changed children must exist")
    self.size = size
    self.changedCount = changedCount
    versions = [UInt32](repeating: 0, count: childCount)
  }

  /// The number of children.
  package var childCount: Int { versions.count }

  /// Returns the name of a child.
  package func name(of child: Int) -> FileName {
    let digits = String(child)
    return FileName(String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".bin")
  }

  /// Returns the present bytes of a child.
  package func contents(of child: Int) -> Data {
    RandomBytes(seed: UInt64(child) << 32 | UInt64(versions[child])).data(count: size)
  }

  /// The present bytes of the metadata file, for strategies without metadata of their own.
  package var metadata: Data {
    RandomBytes(seed: .max - UInt64(generation)).data(count: Self.metadataSize)
  }

  /// Gives some children other bytes, and returns that change, which is the same for every strategy.
  package mutating func change() -> SaveChange {
    generation += 1
    var random = RandomBytes(seed: UInt64(generation) << 20)
    var chosen: Set<Int> = []
    var children: [SaveChange.Child] = []
    // Floyd's algorithm makes each set of children equally likely.
    for bound in (childCount - changedCount)..<childCount {
      let candidate = Int.random(in: 0...bound, using: &random)
      let child = chosen.contains(candidate) ? bound : candidate
      chosen.insert(child)
      versions[child] = generation
      children.append(.init(number: child, name: name(of: child), contents: contents(of: child)))
    }
    return SaveChange(children: children, metadata: metadata)
  }
}

/// The changes of one round.
package struct SaveChange: Sendable {
  /// A child with its new bytes.
  package struct Child: Sendable {
    /// The number of the child in the model.
    package var number: Int
    package var name: FileName
    package var contents: Data

    package init(number: Int, name: FileName, contents: Data) {
      self.number = number
      self.name = name
      self.contents = contents
    }
  }

  /// The children that changed.
  package var children: [Child]
  /// The metadata for these children, for strategies without metadata of their own.
  package var metadata: Data

  /// The files to write: the children and the metadata.
  var files: [(name: FileName, contents: Data)] {
    children.map { ($0.name, $0.contents) } + [(ModelPackage.metadataName, metadata)]
  }
}

/// SplitMix64, with the same bytes for the same seed on every machine.
struct RandomBytes: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  func data(count: Int) -> Data {
    // Neighbouring seeds would give the same numbers, shifted by one.
    var scrambler = self
    var random = RandomBytes(seed: scrambler.next())
    let words = (0..<(count + 7) / 8).map { _ in random.next() }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
  }
}
