public import Foundation

/// The key in the notifications of a group that closes: true if all its actions are discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

/// The notifications of an `UndoManager`, with the manager as their object.
extension NSNotification.Name {
  /// The manager begins or ends a group, or begins an undo or a redo. Apple's manager posts it at more moments.
  public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
  /// A group began.
  public static let NSUndoManagerDidOpenUndoGroup =
    NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
  /// A group closes; `NSUndoManagerGroupIsDiscardableKey` is true if it is discardable.
  public static let NSUndoManagerWillCloseUndoGroup =
    NSNotification.Name("NSUndoManagerWillCloseUndoGroupNotification")
  /// A group closed; `NSUndoManagerGroupIsDiscardableKey` is true if it is discardable.
  public static let NSUndoManagerDidCloseUndoGroup =
    NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
  /// An undo begins.
  public static let NSUndoManagerWillUndoChange =
    NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
  /// An undo ended.
  public static let NSUndoManagerDidUndoChange = NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
  /// A redo begins.
  public static let NSUndoManagerWillRedoChange =
    NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
  /// A redo ended.
  public static let NSUndoManagerDidRedoChange = NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
  /// Groups have lost the actions of a target. Apple's manager has no such notification.
  static let undoManagerDidForgetActions = NSNotification.Name("UndoManagerDidForgetActions")
}
