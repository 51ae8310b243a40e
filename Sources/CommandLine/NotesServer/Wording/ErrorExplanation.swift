import Documents
import FilePackages
import FoundationEssentials
import ImageNotes

/// The sentences that tell a person of an error: the reason, and the thing to do.
struct ErrorExplanation: Sendable {
  let message: String
  let advice: String?

  /// A page shows names of documents, and no paths.
  private static let wording = FilePackageError.Wording { path in
    displayString(String(path.split(separator: "/").last ?? ""))
  }

  private static func text(of error: DocumentError) -> String {
    let text = error.text(wording)
    guard let copy = error.recoveryCopy else { return text }
    return text.replacing("The recovery copy '\(copy.path)'", with: "A recovery copy")
  }

  /// Takes the sentences of an error apart: the first is the reason, and the rest say what to do.
  init(of error: any Error) {
    let text =
      switch error {
      case let error as DocumentError: Self.text(of: error)
      case let error as FilePackageError: error.text(Self.wording)
      default: sentence(of: error)
      }
    if let end = text.firstRange(of: ". ") {
      message = String(text[..<end.lowerBound]) + "."
      advice = String(text[end.upperBound...])
    } else {
      (message, advice) = (text, nil)
    }
  }
}
