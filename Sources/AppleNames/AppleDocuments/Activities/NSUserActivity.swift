public import Foundation

/// The user's present activity, in values that a program saves and restores at its next start.
///
/// Counterpart of Apple's `NSUserActivity`, as far as documents use it. `UserActivityArchive` saves activities. No
/// other program and no other computer sees them.
open class NSUserActivity: NSObject {
  /// The kind of the activity, such as `org.example.editing`.
  public let activityType: String
  /// The name for the user.
  open var title: String?
  /// The values of the application: strings, numbers, dates, data, URLs, UUIDs, null, and arrays, sets and dictionaries
  /// of them.
  open var userInfo: [AnyHashable: Any]?
  /// The keys of `userInfo` that are saved; nil or empty for all.
  open var requiredUserInfoKeys: Set<String>?
  /// Words by which the user finds the activity.
  open var keywords: Set<String> = []
  /// Whether the values are older than the application's state. The next save asks the delegate first.
  open var needsSave = false
  /// The URL of a web page with the same contents.
  open var webpageURL: URL?
  /// The date after which the activity is not restored.
  open var expirationDate: Date?
  /// The part of the application that the activity belongs to.
  open var targetContentIdentifier: String?
  /// The application's own identifier of the activity.
  open var persistentIdentifier: String?
  /// Whether another computer may continue the activity. It has no effect here.
  open var isEligibleForHandoff = true
  /// Whether searches find the activity. It has no effect here.
  open var isEligibleForSearch = false
  /// The object that updates the values before a save.
  open weak var delegate: (any NSUserActivityDelegate)?
  /// Whether `invalidate()` was called.
  public private(set) var isInvalid = false

  /// Makes an activity of that kind.
  public init(activityType: String) {
    self.activityType = activityType
    super.init()
  }

  /// Adds values. They replace the values of the same keys.
  open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
    userInfo = (userInfo ?? [:]).merging(otherDictionary) { _, new in new }
  }

  /// Does nothing. On Apple's systems it makes this the current activity.
  open func becomeCurrent() {}

  /// Does nothing. On Apple's systems the activity is no longer the current one.
  open func resignCurrent() {}

  /// Ends the activity: `UserActivityArchive` no longer saves it.
  open func invalidate() { isInvalid = true }
}

/// An object that updates the values of an activity before a save.
public protocol NSUserActivityDelegate: AnyObject {
  /// Updates the values of an activity that is about to be saved.
  func userActivityWillSave(_ userActivity: NSUserActivity)
}

extension NSUserActivityDelegate {
  /// Does nothing.
  public func userActivityWillSave(_ userActivity: NSUserActivity) {}
}
