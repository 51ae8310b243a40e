package import DurableIO

extension CountingDisk.Counts {
  /// Returns the operations since an earlier count, with their numbers.
  package func since(_ earlier: CountingDisk.Counts) -> [DiskOperation: Int] {
    DiskOperation.allCases.reduce(into: [:]) { found, operation in
      let count = self[operation] - earlier[operation]
      if count > 0 { found[operation] = count }
    }
  }
}
