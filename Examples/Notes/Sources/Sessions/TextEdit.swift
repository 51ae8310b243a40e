/// A change of the text, as a tab sends it.
struct TextEdit: Decodable, Sendable {
  var tab: String
  /// The name of the change. A tab sends it again if it got no answer.
  var op: String
  var epoch: String
  var seq: Int
  /// The step of undo to which it belongs; nil for one of its own.
  var step: String?
  var splices: [TextSplice]
}
