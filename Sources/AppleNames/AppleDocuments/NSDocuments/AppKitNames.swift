public import Foundation

/// A file of a user interface on Apple's systems, for its name only.
public enum NSNib {
  /// The name of the file.
  public typealias Name = String
}

/// A storyboard on Apple's systems. Here it gives empty window controllers.
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
/// It is there for signatures that have one. Swift has no runtime on Linux that could call a method by its name, and no
/// `#selector`.
public struct Selector: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name.
  public let description: String

  /// Makes the selector of that name.
  public init(_ name: String) { description = name }
  /// Makes the selector of that name.
  public init(stringLiteral value: String) { description = value }
}

/// The status code of a function that a program does not have, as the first version of a subclass throws it.
public let unimpErr = -4
