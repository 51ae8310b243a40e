import FoundationEssentials
import Glibc
import SystemPackage

/// Returns an error of any kind as a sentence for people; its own description may be a dump of its fields.
package func sentence(of error: any Error) -> String {
  let text: String =
    switch error {
    case let error as CocoaError: words(of: error)
    case let error as DecodingError: words(of: error)
    case let error as EncodingError:
      switch error {
      case .invalidValue(_, let context): context.debugDescription
      @unknown default: "a value cannot be written"
      }
    case let error as Errno: error.description
    case let error as POSIXError: Errno(rawValue: error.code.rawValue).description
    case is CancellationError: "It was cancelled"
    case let error as any LocalizedError: error.errorDescription ?? "\(error)"
    default: "\(error)"
    }
  return text.last.map { ".?".contains($0) } == true ? text : text + "."
}

private func words(of error: CocoaError) -> String {
  if let cause = error.userInfo["NSUnderlyingError"] as? any Error, !(cause is CocoaError) {
    let path = cause is FilePackageError ? nil : error.userInfo["NSFilePath"] as? String
    return (path.map { "'\(displayString($0))': " } ?? "") + sentence(of: cause)
  }
  if let text = error.userInfo["NSLocalizedDescription"] as? String { return text }
  let subject = (error.userInfo["NSFilePath"] as? String).map { "'\(displayString($0))'" } ?? "A file"
  return switch error.code {
  case .fileNoSuchFile, .fileReadNoSuchFile: "\(subject) does not exist"
  case .fileReadNoPermission, .fileWriteNoPermission: "\(subject) cannot be used: permission denied"
  case .fileWriteFileExists: "\(subject) exists already"
  case .fileWriteOutOfSpace: "\(subject) cannot be written: no space left on device"
  case .fileWriteVolumeReadOnly: "\(subject) cannot be written: the file system is read-only"
  case .fileReadCorruptFile: "\(subject) is damaged"
  default: "\(subject) cannot be used (error \(error.code.rawValue))"
  }
}

private func words(of error: DecodingError) -> String {
  switch error {
  case .keyNotFound(let key, let context): "\(place(context, key)) is missing"
  case .typeMismatch(_, let context), .valueNotFound(_, let context):
    "\(place(context)) is of the wrong kind"
  case .dataCorrupted(let context) where context.codingPath.isEmpty: "it is not valid JSON"
  case .dataCorrupted(let context): "\(place(context)) is not valid"
  @unknown default: "it cannot be read"
  }
}

private func place(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
  let path = context.codingPath + (key.map { [$0] } ?? [])
  return path.isEmpty ? "it" : "'\(displayString(path.map(\.stringValue).joined(separator: ".")))'"
}
