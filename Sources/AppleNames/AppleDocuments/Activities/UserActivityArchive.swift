import Documents
import FilePackages
public import Foundation

/// A file with the user's activities, which a program saves when it ends and restores when it starts.
///
/// ```swift
/// let archive = UserActivityArchive(at: stateURL)
/// try await archive.save([document.userActivity].compactMap { $0 })
/// // At the next start:
/// for activity in try await archive.restore() {
///   guard let url = activity.userInfo?[UIDocument.userActivityURLKey] as? URL else { continue }
///   let document = Note(fileURL: url)
///   await document.open()
///   document.restoreUserActivityState(activity)
/// }
/// ```
public struct UserActivityArchive: Sendable {
  /// The place of the file.
  public let url: URL

  /// Makes an archive at a place. The first save makes the file.
  public init(at url: URL) { self.url = url }

  /// Saves the activities in place of the earlier ones; durable on return. A crash leaves the earlier ones or the new
  /// ones.
  ///
  /// If an activity's `needsSave` is true, its delegate updates it first. Invalid activities are not saved.
  ///
  /// - Throws: `CocoaError.propertyListWriteInvalid` for a value of a type that `userInfo` does not allow, with its
  ///   key; `FilePackageError` if the file cannot be written.
  @MainActor
  public func save(_ activities: [NSUserActivity]) async throws {
    var saved: [Any] = []
    for activity in activities where !activity.isInvalid {
      if activity.needsSave {
        activity.delegate?.userActivityWillSave(activity)
        activity.needsSave = false
      }
      saved.append(try activity.propertyList())
    }
    let data = try PropertyListSerialization.data(fromPropertyList: saved, format: .binary, options: 0)
    try await write(data)
  }

  private func write(_ data: Data) async throws {
    let file = FileWrapper(regularFileWithContents: data)
    // The caller gets no report.
    do {
      _ = try await FlatFileStore.open(at: url).save(file)
    } catch  where error.code == .noSuchFile {
      _ = try await FlatFileStore.create(file, at: url)
    }
  }

  /// Returns the saved activities in their order, without those that have expired; none if there is no file.
  ///
  /// - Throws: `CocoaError.propertyListReadCorrupt` if the file has another format; the system's error.
  @MainActor
  public func restore() async throws -> [NSUserActivity] {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch CocoaError.fileReadNoSuchFile {
      return []
    }
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    guard let saved = list as? [[String: Any]] else { throw CocoaError(.propertyListReadCorrupt) }
    let activities = try saved.map { try NSUserActivity.read($0) }
    return activities.filter { $0.expirationDate.map { $0 > Date() } ?? true }
  }
}

// The keys of an activity in the file.
private enum Key {
  static let type = "Type"
  static let title = "Title"
  static let userInfo = "UserInfo"
  static let keywords = "Keywords"
  static let webpage = "WebpageURL"
  static let expiration = "ExpirationDate"
  static let target = "TargetContentIdentifier"
  static let persistent = "PersistentIdentifier"
}

extension NSUserActivity {
  fileprivate func propertyList() throws -> [String: Any] {
    var list: [String: Any] = [Key.type: activityType]
    list[Key.title] = title
    list[Key.webpage] = webpageURL?.absoluteString
    list[Key.expiration] = expirationDate
    list[Key.target] = targetContentIdentifier
    list[Key.persistent] = persistentIdentifier
    if !keywords.isEmpty { list[Key.keywords] = keywords.sorted() }
    if var values = userInfo {
      if let required = requiredUserInfoKeys, !required.isEmpty {
        values = values.filter { key, _ in (key as? String).map(required.contains) ?? false }
      }
      list[Key.userInfo] = try ArchivedValue.encode(values)
    }
    return list
  }

  fileprivate static func read(_ list: [String: Any]) throws -> NSUserActivity {
    guard let type = list[Key.type] as? String else { throw CocoaError(.propertyListReadCorrupt) }
    let activity = NSUserActivity(activityType: type)
    activity.title = list[Key.title] as? String
    activity.webpageURL = (list[Key.webpage] as? String).flatMap { URL(string: $0) }
    activity.expirationDate = list[Key.expiration] as? Date
    activity.targetContentIdentifier = list[Key.target] as? String
    activity.persistentIdentifier = list[Key.persistent] as? String
    activity.keywords = Set(list[Key.keywords] as? [String] ?? [])
    if let values = list[Key.userInfo] {
      activity.userInfo = try ArchivedValue.decode(values) as? [AnyHashable: Any]
    }
    return activity
  }
}

/// The values of `userInfo` in a property list.
///
/// A type that property lists lack is a dictionary of one key, which names the type. Every dictionary is such a type.
private enum ArchivedValue {
  static func encode(_ value: Any) throws -> Any {
    switch value {
    case let url as URL: return ["url": url.absoluteString]
    case let uuid as UUID: return ["uuid": uuid.uuidString]
    case is NSNull: return ["null": true]
    case let dictionary as [AnyHashable: Any]:
      var entries: [String: Any] = [:]
      for (key, value) in dictionary {
        guard let key = key as? String else { throw invalid("the key '\(key)' is no string") }
        do {
          entries[key] = try encode(value)
        } catch let error as CocoaError where error.userInfo[NSDebugDescriptionErrorKey] == nil {
          throw invalid("the value of '\(key)' is of the type \(type(of: value))")
        }
      }
      return ["dictionary": entries]
    case let array as [Any]: return try array.map { try encode($0) }
    case let set as Set<AnyHashable>: return ["set": try set.map { try encode($0.base) }]
    case is String, is Bool, is Int, is Double, is NSNumber, is Date, is Data: return value
    default: throw CocoaError(.propertyListWriteInvalid)
    }
  }

  private static func invalid(_ reason: String) -> CocoaError {
    CocoaError(.propertyListWriteInvalid, userInfo: [NSDebugDescriptionErrorKey: reason])
  }

  static func decode(_ value: Any) throws -> Any {
    if let array = value as? [Any] { return try array.map { try decode($0) } }
    guard let tagged = value as? [String: Any] else { return value }
    if let text = tagged["url"] as? String, let url = URL(string: text) { return url }
    if let text = tagged["uuid"] as? String, let uuid = UUID(uuidString: text) { return uuid }
    if tagged["null"] != nil { return NSNull() }
    if let entries = tagged["dictionary"] as? [String: Any] {
      var dictionary: [AnyHashable: Any] = [:]
      for (key, value) in entries { dictionary[key] = try decode(value) }
      return dictionary
    }
    if let elements = tagged["set"] as? [Any] {
      return Set(try elements.map { try hashable(try decode($0)) })
    }
    throw CocoaError(.propertyListReadCorrupt)
  }

  /// Returns a decoded value as an element of a set, or of a value in a set.
  private static func hashable(_ value: Any) throws -> AnyHashable {
    switch value {
    case let value as AnyHashable: return value
    case let array as [Any]: return AnyHashable(try array.map { try hashable($0) })
    case let dictionary as [AnyHashable: Any]:
      return AnyHashable(try dictionary.mapValues { try hashable($0) })
    default: throw CocoaError(.propertyListReadCorrupt)
    }
  }
}
