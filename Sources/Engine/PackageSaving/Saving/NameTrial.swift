import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

/// A trial of new names on a file system that may refuse a name, write it in another way, or take two names for one.
///
/// A save makes it before its commit, in a folder of its own among the staged files. Cost: the folder, and for each name
/// a file.
struct NameTrial {
  /// A reason why a child cannot have a name.
  enum Problem: Sendable, Hashable, CaseIterable {
    case refused
    case folded
    case rewritten

    /// The code of the error.
    var code: FilePackageError.Code { self == .folded ? .nameCollision : .invalidName }

    /// The reason in an error.
    var words: String {
      switch self {
      case .refused: "the file system does not take this name"
      case .folded: "the file system does not distinguish this name from that of another child"
      case .rewritten: "the file system writes this name in another way"
      }
    }
  }

  /// The mode that a new file has whatever mode it should have; nil if the file system has modes.
  private(set) var fixedMode: UInt16?
  private let name: FileName
  private let staging: OpenNode
  private let disk: any Disk

  /// - Parameter name: the name of the folder for the trial.
  init(_ name: FileName, in staging: OpenNode, on disk: any Disk) {
    (self.name, self.staging, self.disk) = (name, staging, disk)
  }

  /// Returns the first name that a child cannot have; nil if children can have all of them.
  mutating func firstRefusal(of names: [FileName]) throws(SystemError) -> (name: FileName, problem: Problem)?
  {
    // Files that cannot be removed go with the session.
    defer { disk.removeEverything(name, from: staging.descriptor) }
    try disk.makeDirectory(name, in: staging.descriptor, mode: 0o700)
    let folder = try disk.openDirectory(name, in: staging.descriptor)
    for name in names {
      do {
        let mode = try disk.status(of: disk.createFile(name, in: folder, mode: 0o600)).mode
        if mode & 0o100 != 0 { fixedMode = mode }
      } catch {
        if error.code == .fileExists { return (name, .folded) }
        guard error.code.isRefusal else { throw error }
        return (name, .refused)
      }
    }
    return try Self.firstMissing(of: names, in: folder, on: disk).map {
      (name: $0, problem: Problem.rewritten)
    }
  }

  /// Returns the first name that a folder does not list, although it has a child of that name.
  static func firstMissing(
    of names: [FileName], in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> FileName? {
    let listing = try disk.list(folder)
    return names.first { listing.position(of: $0) == nil }
  }
}
