public import Foundation

/// A user interface file on Apple's systems. Here it is only the scope of `Name`.
public enum NSNib {
  /// The name of the file.
  public typealias Name = String
}

/// A storyboard on Apple's systems. Here it makes empty window controllers.
@preconcurrency
@MainActor
open class NSStoryboard: NSObject {
  /// The name of a storyboard.
  public typealias Name = String
  /// The name of a scene in it.
  public typealias SceneIdentifier = String

  /// Makes a storyboard, and reads no file.
  public init(name: Name, bundle storyboardBundleOrNil: Bundle?) { super.init() }

  /// Returns a new `NSWindowController`, whatever the scene.
  open func instantiateController(withIdentifier identifier: SceneIdentifier) -> Any { NSWindowController() }
  /// Returns a new `NSWindowController`.
  open func instantiateInitialController() -> Any? { NSWindowController() }
}

/// The name of a method on Apple's systems.
///
/// It exists only for signatures that have one. Swift on Linux has no `#selector`, and calls no method by its name.
public struct Selector: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name.
  public let description: String

  /// Makes the selector of that name.
  public init(_ name: String) { description = name }
  /// Makes the selector of that name.
  public init(stringLiteral value: String) { description = value }
}

/// The status code of an unimplemented function. The template of a subclass of `NSDocument` throws it.
public let unimpErr = -4
