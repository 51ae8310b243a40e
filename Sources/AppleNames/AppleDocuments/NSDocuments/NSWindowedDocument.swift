public import Foundation

/// The part of an `NSDocument` that belongs to windows, for models that make some on Apple's systems.
///
/// It has the list of window controllers, and calls no method of them. The library does not call the methods for state
/// restoration: `UserActivityArchive` restores documents.
@preconcurrency
@MainActor
open class NSWindowedDocument: NSPresentedDocument {
  // MARK: Windows

  /// The window controllers, in the order in which they were added.
  open private(set) var windowControllers: [NSWindowController] = []

  /// Adds a window controller, and sets its `document`. Does nothing if the controller is in the list already.
  open func addWindowController(_ windowController: NSWindowController) {
    if windowControllers.contains(where: { $0 === windowController }) { return }
    windowControllers.append(windowController)
    windowController.document = self
  }

  /// Removes a window controller from the list, and sets its `document` to nil.
  open func removeWindowController(_ windowController: NSWindowController) {
    guard let index = windowControllers.firstIndex(where: { $0 === windowController }) else { return }
    windowControllers.remove(at: index).document = nil
  }

  /// Makes windows on Apple's systems. No code here calls it.
  open func makeWindowControllers() {}
  /// The name of a window's file on Apple's systems. No code here asks for it.
  open var windowNibName: NSNib.Name? { nil }
  /// A window's file is about to be loaded. No code here calls it.
  open func windowControllerWillLoadNib(_ windowController: NSWindowController) {}
  /// A window's file was loaded. No code here calls it.
  open func windowControllerDidLoadNib(_ windowController: NSWindowController) {}
  /// Shows windows on Apple's systems. No code here calls it.
  open func showWindows() {}
  /// Tells a waiting user interface on Apple's systems that it may continue; does nothing here.
  open nonisolated func unblockUserInteraction() {}

  /// Asks whether the document may be closed, on Apple's systems. No code here calls it, and it does nothing.
  open func canClose(
    withDelegate delegate: Any, shouldClose shouldCloseSelector: Selector?,
    contextInfo: UnsafeMutableRawPointer?
  ) {}

  // MARK: Restorable state

  /// The key paths of the state that the system saves on Apple's systems. No code here asks for them.
  open class var restorableStateKeyPaths: [String] { [] }
  /// The classes that the value of a key path may have. No code here asks for them.
  open class func allowedClasses(forRestorableStateKeyPath keyPath: String) -> [AnyClass] { [] }
  /// Writes the state of the user interface; by default nothing.
  open func encodeRestorableState(with coder: NSCoder) {}
  /// Writes the state of the user interface, with a queue for more work; by default nothing.
  open func encodeRestorableState(with coder: NSCoder, backgroundQueue queue: OperationQueue) {}
  /// Reads the state of the user interface; by default nothing.
  open func restoreState(with coder: NSCoder) {}
  /// Notes that the state of the user interface has changed; does nothing.
  open func invalidateRestorableState() {}
}

/// The controller of a window, without the window.
///
/// It exists for models that make one in `makeWindowControllers()`. Counterpart of AppKit's `NSWindowController`.
@preconcurrency
@MainActor
open class NSWindowController: NSObject {
  /// The document to which the controller was added; nil if there is none.
  open weak var document: AnyObject?

  /// Makes a controller.
  public override init() { super.init() }

  /// Shows the window on Apple's systems; does nothing here.
  open func showWindow(_ sender: Any?) {}
  /// Closes the window on Apple's systems; does nothing here.
  open func close() {}
  /// The window is about to be loaded. No code here calls it.
  open func windowWillLoad() {}
  /// The window was loaded. No code here calls it.
  open func windowDidLoad() {}
  /// The title of the window; by default the document's name.
  open func windowTitle(forDocumentDisplayName displayName: String) -> String { displayName }
  /// Updates the title on Apple's systems; does nothing here.
  open func synchronizeWindowTitleWithDocumentName() {}
}
