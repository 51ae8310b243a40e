import Documents
import FilePackages
import Foundation

/// The sentences that tell a person of an error: the reason, and the thing to do.
struct ErrorExplanation: Sendable {
  let message: String
  let advice: String?

  /// Takes the sentences of an error apart: the first is the reason, and the rest say what to do.
  init(of error: any Error) {
    let text = Self.sentences(of: error)
    if let end = text.firstRange(of: ". ") {
      message = String(text[..<end.lowerBound]) + "."
      advice = String(text[end.upperBound...])
    } else {
      (message, advice) = (text, nil)
    }
  }

  /// The text of an error. A page shows names of documents, and no paths.
  private static func sentences(of error: any Error) -> String {
    let text = error is CocoaError ? error.localizedDescription : "\(error)"
    return text.replacing(/The recovery copy '[^']*'/) { _ in "A recovery copy" }
      .replacing(/'\/(?:[^'\/]*\/)*([^'\/]*)\/?'/) { "'\($0.1)'" }
  }
}
