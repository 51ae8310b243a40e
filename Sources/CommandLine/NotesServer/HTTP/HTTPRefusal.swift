/// A request that the server refuses: the status, and sentences for the person who sees the page.
package struct HTTPRefusal: Error, Sendable, Equatable {
  /// The status of the answer.
  var status: HTTPStatus
  /// The reason, as a sentence.
  package var message: String
  /// The thing to do; nil if there is nothing.
  var advice: String?
  /// The key with which a page restores the document, if it was deleted.
  var deletion: String?
  /// Whether the rest of the connection cannot be trusted: part of the request is unread.
  var endsConnection = false

  static func badRequest(_ message: String) -> HTTPRefusal {
    HTTPRefusal(status: .badRequest, message: message, endsConnection: true)
  }

  static let notFound = HTTPRefusal(
    status: .notFound, message: "There is nothing at this address.",
    advice: "Open the library and choose a document.")

  static func forbidden(_ message: String) -> HTTPRefusal {
    HTTPRefusal(status: .forbidden, message: message, endsConnection: true)
  }

  static func tooLarge(_ limit: UInt64) -> HTTPRefusal {
    HTTPRefusal(
      status: .contentTooLarge,
      message: "The upload is larger than \(limit / 1_000_000) MB.",
      advice: "Add it with 'docpkg edit' or 'docpkg import' in a terminal.", endsConnection: true)
  }
}

/// The statuses that the server answers with.
enum HTTPStatus: Int, Sendable {
  case ok = 200
  case noContent = 204
  case notModified = 304
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case conflict = 409
  case contentTooLarge = 413
  case unsupportedMediaType = 415
  case misdirected = 421
  case unprocessable = 422
  case headTooLarge = 431
  case internalError = 500
  case busy = 503

  /// The words of the status line.
  var phrase: String {
    switch self {
    case .ok: "OK"
    case .noContent: "No Content"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .contentTooLarge: "Content Too Large"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .misdirected: "Misdirected Request"
    case .unprocessable: "Unprocessable Content"
    case .headTooLarge: "Request Header Fields Too Large"
    case .internalError: "Internal Server Error"
    case .busy: "Service Unavailable"
    }
  }
}
