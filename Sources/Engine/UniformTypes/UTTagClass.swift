/// A class of names for types, such as filename extensions or MIME types.
public struct UTTagClass: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
  /// The identifier of the class, such as `public.filename-extension`.
  public let rawValue: String

  /// Makes the class of an identifier, which is compared letter by letter.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Filename extensions, without the dot.
  public static var filenameExtension: UTTagClass { UTTagClass(rawValue: "public.filename-extension") }

  /// MIME types, also called media types, such as `image/png`.
  public static var mimeType: UTTagClass { UTTagClass(rawValue: "public.mime-type") }

  /// The identifier of the class.
  public var description: String { rawValue }
}
