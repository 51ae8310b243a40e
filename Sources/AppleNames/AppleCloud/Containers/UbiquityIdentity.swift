public import Foundation

extension NSNotification.Name {
  /// The notification that `FileManager.ubiquityIdentityToken` has another value. It has no object.
  ///
  /// It is posted on a thread of its own, soon after a container is registered or removed.
  public static let NSUbiquityIdentityDidChange = NSNotification.Name(
    "NSUbiquityIdentityDidChangeNotification")
}
