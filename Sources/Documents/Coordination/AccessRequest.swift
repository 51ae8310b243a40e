import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// (1) Whatever lies in a file package counts as the package: the outermost one is claimed.
// (2) Two processes need not agree on what a package is: a claim that covers what is below its item keeps away from
//     everything below it, whatever the other one takes that for.

/// What one access is for: what presenters are told, and what is claimed.
struct AccessRequest: Sendable, Hashable {
  enum Kind: String, Sendable { case read, write }

  var kind: Kind
  /// The raw value of `FileCoordinator.ReadingOptions` or `.WritingOptions`.
  var options: UInt = 0
  /// Accesses of one purpose never wait for each other.
  var purpose: String
  var holder: FileAccessHolder
  var item: ItemPlace
  /// How many folders above the item its outermost package is; 0 for the item itself. (1)
  var unitLevels = 0
  /// Whether everything below the unit is part of it.
  var coversContents = false

  /// What is claimed. (1)
  var unit: ItemPlace { item.enclosing(unitLevels) }

  /// Whether one of the two has to wait for the other. (2)
  func conflicts(with other: AccessRequest) -> Bool {
    if purpose == other.purpose || (kind == .read && other.kind == .read) { return false }
    let (mine, theirs) = (unit, other.unit)
    return mine.isSame(as: theirs) || (coversContents && mine.encloses(theirs))
      || (other.coversContents && theirs.encloses(mine))
  }

  /// Whether whoever has this access has the other one, too.
  func includes(_ other: AccessRequest) -> Bool {
    if kind == .read && other.kind == .write { return false }
    return unit.isSame(as: other.unit)
      ? coversContents || !other.coversContents
      : coversContents && unit.encloses(other.unit)
  }

  /// What a presenter has to do with it.
  enum Concern { case asked, told, none }

  /// What a presenter of that place has to do with it.
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
      item = try ItemPlace(path, following: intent.resolvesSymbolicLink)
    } catch let error as FilePackageError {
      throw FileCoordinationError(.invalidName, item: url.path, cause: error)
    } catch {
      throw FileCoordinationError(.registry, item: url.path, reason: "\(error)", cause: error)
    }
    (kind, options) = (intent.kind, intent.options)
    (self.purpose, holder) = (purpose, .present)
    let package = (0..<item.names.count).last { PackageRecognition.isPackage(item.enclosing($0)) }
    unitLevels = package ?? 0
    coversContents = package != nil || writingOptions.takesContents
  }
}
