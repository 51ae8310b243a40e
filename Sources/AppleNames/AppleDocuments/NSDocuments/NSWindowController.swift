public import Foundation

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
