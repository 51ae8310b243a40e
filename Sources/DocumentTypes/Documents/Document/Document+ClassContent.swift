public import FoundationEssentials

// A content that is a class has one state, and no earlier ones to which undoing could go back. The compiler warns of it,
// and the program stops. (An unavailable function would not be chosen over the general one.)

extension Document where Content: AnyObject {
  /// Stops the program, as the content is a class.
  @available(*, deprecated, message: "a class has no earlier values to undo to: use ReferenceFileDocument")
  public init(fileURL: URL, content: Content? = nil, options: DocumentOptions<Content> = .init()) {
    self.init(fileURL: fileURL, content: content, options: options, on: StorageEnvironment())
  }

  /// Stops the program, as the content is a class.
  @available(*, deprecated, message: "a class has no earlier values to undo to: use ReferenceFileDocument")
  public static func open(
    at url: URL, options: DocumentOptions<Content> = .init()
  ) async throws(DocumentError) -> Document {
    fatalError(refusal)
  }

  /// Stops the program, as the content is a class.
  @available(*, deprecated, message: "a class has no earlier values to undo to: use ReferenceFileDocument")
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
