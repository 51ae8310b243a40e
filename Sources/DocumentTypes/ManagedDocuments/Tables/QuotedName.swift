import FoundationEssentials

extension String {
  /// The name of a table or a column in SQL. GRDB's own form is not right for a name with a quotation mark.
  var quotedName: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
