public import Foundation

extension NSNotification.Name {
  /// The notification that `FileManager.ubiquityIdentityToken` has another value. It has no object.
  ///
  /// It is posted on the thread that registers or removes a container.
  public static let NSUbiquityIdentityDidChange = NSNotification.Name(
    "NSUbiquityIdentityDidChangeNotification")
}
