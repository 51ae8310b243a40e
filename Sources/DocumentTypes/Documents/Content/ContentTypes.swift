public import FilePackages

// A content has each list twice: for code of its own actor, and for code of any actor. One property of a model satisfies
// both. In a type of the main actor, a call of the second one waits for the main actor. A call of the first one from
// another thread ends the program. So the engine uses the second one alone.

/// The types that a content reads and writes, for callers on the content's actor.
public protocol ContentTypes {
  /// The types that the content reads.
  static var readableContentTypes: [UTType] { get }
  /// The types that the content writes; by default those that it reads.
  static var writableContentTypes: [UTType] { get }
}

/// The types that a content reads and writes, for callers on any actor.
///
/// Each property that satisfies `ContentTypes` satisfies this protocol, too.
public protocol AwaitedContentTypes {
  /// The types that the content reads.
  static var readableContentTypes: [UTType] { get async }
  /// The types that the content writes; by default those that it reads.
  static var writableContentTypes: [UTType] { get async }
}

extension ContentTypes {
  /// The types that the content reads.
  public static var writableContentTypes: [UTType] { readableContentTypes }
}

extension AwaitedContentTypes {
  /// The types that the content reads, for code of any actor.
  package static func awaitReadableTypes() async -> [UTType] { await readableContentTypes }
}

/// A content whose types are those of a model, which may belong to an actor.
package protocol ModelContent {
  /// Returns the model's types.
  static func awaitTypeLists() async -> ContentTypeLists
}
