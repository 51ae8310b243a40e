import HTTPTypes

/// A request that the server refuses: the status, and sentences for the person who sees the page.
struct HTTPRefusal: Error, Sendable, Equatable {
  /// The status of the answer.
  var status: HTTPResponse.Status
  /// The reason, as a sentence.
  var message: String
  /// The thing to do; nil if there is nothing.
  var advice: String?
  /// The key with which a page restores the document, if it was deleted.
  var deletion: String?
  /// Whether the connection ends behind the answer.
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

  static func tooLarge(_ limit: Int) -> HTTPRefusal {
    HTTPRefusal(
      status: .contentTooLarge,
      message: "The upload is larger than \(limit / 1_000_000) MB.",
      advice: "Add it with 'docpkg edit' or 'docpkg import' in a terminal.", endsConnection: true)
  }
}
