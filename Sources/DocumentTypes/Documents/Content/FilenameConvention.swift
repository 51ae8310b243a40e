import DurableIO
import FilePackages
public import FoundationEssentials

/// A rule for the filename of a new document that the user gave no name.
public enum FilenameConvention: Sendable, Hashable {
  /// `Notes 1`, `Notes 2`, …: the first number that is free in the folder.
  case sequence(String)
  /// `2026-11-21 14.05.09`: this moment in local time.
  case timestamp
  /// A UUID.
  case uuid

  /// Returns a name with the extension for a new document among `taken`.
  ///
  /// It ignores case and Unicode composition when it compares names, as some file systems do. Another program may take
  /// the name before the document is created.
  public func name(
    amongst taken: some Sequence<String>, extension pathExtension: String, now: Date = Date()
  ) -> String {
    let taken = Set(taken.map { $0.lowercased() })
    let end = pathExtension.isEmpty ? "" : ".\(pathExtension)"
    func free(_ base: (Int) -> String) -> String {
      firstFree({ base($0) + end }, isTaken: { taken.contains($0.lowercased()) })
    }
    switch self {
    case .sequence(let base): return free { "\(base) \($0)" }
    case .timestamp:
      // Other systems do not allow colons in a name.
      let stamp = localTime(now).replacing(":", with: ".")
      return free { $0 == 1 ? stamp : "\(stamp) \($0)" }
    case .uuid: return free { _ in UUID().uuidString }
    }
  }
}
