/// The reason why a picture's header could not be read.
public enum ImageHeaderError: Error, Sendable, Equatable {
  /// The bytes do not begin like any format of ``ImageHeader/Format``.
  case unknownFormat

  /// The file ends before the named part of its header.
  case truncated(ImageHeader.Format, missing: String)

  /// The header contradicts itself or its format's specification, or has no size.
  case impossible(ImageHeader.Format, reason: String)

  /// The reader did not find the size within ``ImageHeader/maximumReads`` reads.
  case tooFarAway(ImageHeader.Format)
}

extension ImageHeaderError: CustomStringConvertible {
  /// One sentence that names the format and the reason.
  public var description: String {
    switch self {
    case .unknownFormat:
      let names = ImageHeader.Format.allCases.map(\.name).joined(separator: ", ")
      return "This is not a picture of a known format (\(names))."
    case .truncated(let format, let missing):
      return "The \(format.name) picture is cut short: \(missing) is missing."
    case .impossible(let format, let reason):
      return "The \(format.name) picture cannot be read: \(reason)."
    case .tooFarAway(let format):
      return "The \(format.name) picture's size was not found in \(ImageHeader.maximumReads) reads."
    }
  }
}
