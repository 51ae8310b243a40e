import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// AR1 A child of a package counts as the package. A request claims the outermost package.
// AR2 A claim that covers the contents of its unit conflicts with every claim below that unit. So two processes need
//     not agree on which folders are packages.

/// The item and the kind of one access: a coordinator claims it and tells presenters of it.
struct AccessRequest: Sendable, Hashable, Codable {
  enum Kind: String, Sendable, Codable { case read, write }

  var kind: Kind
  /// The raw value of `FileCoordinator.ReadingOptions` or `.WritingOptions`.
  var options: UInt = 0
  /// Accesses of one purpose never wait for each other.
  var purpose: String
  var holder: FileAccessHolder
  var item: ItemPlace
  /// The number of folders between the item and its outermost package; 0 for the item itself (AR1).
  var unitLevels = 0
  /// Whether everything below the unit is part of it.
  var coversContents = false

  /// The place that the request claims (AR1).
  var unit: ItemPlace { item.enclosing(unitLevels) }

  /// Returns whether one of the two accesses waits for the other (AR2).
  func conflicts(with other: AccessRequest) -> Bool {
    if purpose == other.purpose || (kind == .read && other.kind == .read) { return false }
    let (mine, theirs) = (unit, other.unit)
    return mine.isSame(as: theirs) || (coversContents && mine.encloses(theirs))
      || (other.coversContents && theirs.encloses(mine))
  }

  /// Returns whether a holder of this access has the other one, too.
  func includes(_ other: AccessRequest) -> Bool {
    if kind == .read && other.kind == .write { return false }
    return unit.isSame(as: other.unit)
      ? coversContents || !other.coversContents
      : coversContents && unit.encloses(other.unit)
  }

  /// Whether a presenter is asked before an access, told after it, or neither.
  enum Concern { case asked, told, none }

  /// Returns the part that a presenter of `place` has in this access.
  func concern(_ place: ItemPlace, isPackage: Bool) -> Concern {
    if place.isSame(as: item) || place.isSame(as: unit) { return .asked }
    if place.encloses(item) { return isPackage ? .asked : .told }
    return coversContents && item.encloses(place) ? .asked : .none
  }

  var readingOptions: FileCoordinator.ReadingOptions {
    kind == .read ? .init(rawValue: options) : []
  }

  var writingOptions: FileCoordinator.WritingOptions {
    kind == .write ? .init(rawValue: options) : []
  }
}

extension AccessRequest {
  init(_ intent: FileAccessIntent, purpose: String) throws(FileCoordinationError) {
    let url = intent.url
    do {
      let path = try FilePath(of: url, for: .open)
      item = try ItemPlace(path, following: intent.readingOptions.contains(.resolvesSymbolicLink))
    } catch let error as FilePackageError {
      throw FileCoordinationError(.invalidName, item: url.path, cause: error)
    } catch {
      throw FileCoordinationError(.registry, item: url.path, reason: "\(error)", cause: error)
    }
    (kind, options) = (intent.kind, intent.options)
    (self.purpose, holder) = (purpose, .present)
    // The folders' own marks decide first: a folder such as 'tmp.AbC123' above a document would load all types.
    let levels = 0..<item.names.count
    let package =
      levels.last { FolderSigns(item.enclosing($0))?.showMarks ?? false }
      ?? levels.last { FolderSigns(item.enclosing($0))?.showPackage() ?? false }
    unitLevels = package ?? 0
    coversContents = package != nil || writingOptions.takesContents
  }
}
