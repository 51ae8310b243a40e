public import FoundationEssentials

// A content that is a class has one state, and no earlier ones to which undoing could go back.

extension Document where Content: AnyObject {
  /// Refuses a content that is a class.
  @available(*, unavailable, message: "a class has no earlier values to undo to: see ReferenceFileDocument")
  public init(fileURL: URL, content: Content? = nil, options: DocumentOptions<Content> = .init()) {
    self.init(fileURL: fileURL, content: content, options: options, on: StorageEnvironment())
  }

  /// Refuses a content that is a class.
  @available(*, unavailable, message: "a class has no earlier values to undo to: see ReferenceFileDocument")
  public static func open(
    at url: URL, options: DocumentOptions<Content> = .init()
  ) async throws(DocumentError) -> Document {
    fatalError(refusal)
  }

  /// Refuses a content that is a class.
  @available(*, unavailable, message: "a class has no earlier values to undo to: see ReferenceFileDocument")
  public static func create(
    _ content: Content, at url: URL, options: DocumentOptions<Content> = .init()
  ) async throws(DocumentError) -> Document {
    fatalError(refusal)
  }
}

extension Document {
  /// The sentence for a content that is a class and that the compiler could not refuse, as in generic code.
  static var refusal: String {
    """
    '\(Content.self)' is a class, and a class has no earlier values to undo to. Make it a structure, or a \
    'ReferenceFileDocument' in a 'ReferenceDocument' of the module AppleDocuments.
    """
  }
}
