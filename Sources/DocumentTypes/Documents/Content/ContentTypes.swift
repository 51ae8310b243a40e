public import FilePackages

// Each list stands twice, plain and `async`, and one property of a model satisfies both. The engine calls only the
// `async` one, since a plain call into a type of the main actor from another thread traps. The plain one is for models
// and tests, and without it `@preconcurrency` at the conformance of such a type would be a warning.

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

/// A content whose values have types of their own, such as those of the model that a value writes.
package protocol TypedContent {
  /// The types of this value; nil for those of its type.
  var typeLists: ContentTypeLists? { get }
}
