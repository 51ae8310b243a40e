package import DurableIO
import PackageFormat
import Synchronization

extension FileWrapper: MergeEntry {
  package var fileKind: FileKind { kind }

  /// The permissions; nil for a symbolic link, which has none of its own.
  package var mergeMode: MergeMode? {
    get {
      state.withLock { state in
        if case .link = state.node { return nil }
        return MergeMode(state.attributes.mode, isExact: state.attributes.modeIsExact)
      }
    }
    set {
      guard let newValue, newValue != mergeMode else { return }
      edit { state in
        (state.attributes.mode, state.attributes.modeIsExact) = (newValue.bits, newValue.isExact)
      }
    }
  }

  package func isIdentical(to other: FileWrapper) -> Bool { self === other }

  /// Returns whether both are folders, files of the same bytes, or links to the same destination.
  ///
  /// A file that another program removed or replaced counts as changed.
  package func hasSameBytes(as other: FileWrapper) throws -> Bool {
    if isDirectory || other.isDirectory { return isDirectory && other.isDirectory }
    return try unlessGone { try hasSameContents(as: other) } ?? false
  }
}
