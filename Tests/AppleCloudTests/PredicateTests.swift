import AppleCloud
import Testing

@Suite("A predicate of a format string")
struct PredicateTests {
  /// Returns whether the predicate is true for these attributes.
  private func isTrue(_ format: String, _ arguments: Any..., of values: [String: Any] = Self.hut) -> Bool {
    NSPredicate(format: format, argumentArray: arguments).evaluate(with: values)
  }

  private static var hut: [String: Any] {
    [
      "kMDItemFSName": "Hütte.txt", "kMDItemFSSize": 12, "IsDownloaded": true,
      "kMDItemFSContentChangeDate": Date(timeIntervalSince1970: 1000), "AND": "yes",
      "kMDItemContentTypeTree": ["public.plain-text", "public.text"],
    ]
  }

  @Test(arguments: [
    "kMDItemFSName == 'Hütte.txt'", "kMDItemFSName = \"Hütte.txt\"", "kMDItemFSName != 'Hut.txt'",
    "kMDItemFSName <> 'Hut.txt'", "kMDItemFSName ==[c] 'HÜTTE.TXT'", "kMDItemFSName ==[cd] 'hutte.txt'",
    "kMDItemFSName LIKE '*.txt'", "kMDItemFSName like 'H?tte.*'", "kMDItemFSName LIKE[d] 'Hutte.txt'",
    "kMDItemFSName LIKE '*'", "kMDItemFSName LIKE '**t*t'", "NOT kMDItemFSName LIKE 'Hütte'",
    "kMDItemFSName BEGINSWITH 'Hü'", "kMDItemFSName BEGINSWITH[cd] 'hu'", "kMDItemFSName ENDSWITH '.txt'",
    "kMDItemFSName ENDSWITH ''", "kMDItemFSName CONTAINS 'tt'", "kMDItemFSName CONTAINS[c] 'TT'",
    "NOT (kMDItemFSName CONTAINS 'TT')", "kMDItemFSName MATCHES 'H.*txt'",
    "NOT kMDItemFSName MATCHES 'H.*tx'",
    "kMDItemFSName LIKE 'Hu\u{308}tte.tx?'", "NOT kMDItemFSName LIKE 'H.tte*'",
    "kMDItemFSSize == 12", "kMDItemFSSize > 11.5", "kMDItemFSSize >= 12", "kMDItemFSSize => 12",
    "kMDItemFSSize < 13", "kMDItemFSSize <= 12", "kMDItemFSSize =< 12", "kMDItemFSSize > -1",
    "12 == kMDItemFSSize", "IsDownloaded == TRUE", "IsDownloaded = YES", "NOT IsDownloaded == NO",
    "IsDownloaded == 1",
    "Missing == NIL", "Missing = NULL", "kMDItemFSName != nil", "Missing != 'a'", "NOT Missing LIKE '*'",
    "kMDItemContentTypeTree == 'public.text'",
    "kMDItemContentTypeTree CONTAINS 'public.text'",
    "'public.text' IN kMDItemContentTypeTree",
    "kMDItemFSName.pathExtension == 'txt'",
    "TRUEPREDICATE",
    "NOT FALSEPREDICATE",
    "! FALSEPREDICATE && TRUEPREDICATE", "FALSEPREDICATE OR TRUEPREDICATE", "FALSEPREDICATE || TRUEPREDICATE",
    // AND binds more than OR, and NOT more than AND.
    "TRUEPREDICATE OR FALSEPREDICATE AND FALSEPREDICATE",
    "NOT (TRUEPREDICATE OR FALSEPREDICATE AND FALSEPREDICATE) OR kMDItemFSSize == 12",
    "NOT FALSEPREDICATE AND TRUEPREDICATE", "(((kMDItemFSSize == 12)))",
    "not kMDItemFSSize == 13 and truepredicate",
  ])
  func `is true`(_ format: String) {
    #expect(isTrue(format))
    #expect(!isTrue("NOT (\(format))"))
  }

  @Test func `takes arguments`() {
    let (date, later) = (Date(timeIntervalSince1970: 1000), Date(timeIntervalSince1970: 1001))
    #expect(isTrue("%K == %@", NSMetadataItemFSNameKey, "Hütte.txt"))
    #expect(isTrue("%K LIKE %@ AND %K > %d", "kMDItemFSName", "*.txt", "kMDItemFSSize", 5))
    #expect(isTrue("NOT %K.pathExtension == ''", "kMDItemFSName"))
    #expect(isTrue("kMDItemFSSize == %lld OR kMDItemFSSize == %f", Int64(1), 12.0))
    #expect(
      isTrue("%K = %@ and %K < %@", "kMDItemFSContentChangeDate", date, "kMDItemFSContentChangeDate", later))
    #expect(isTrue("%K IN %@", "kMDItemFSName", ["a", "Hütte.txt"]))
    #expect(
      isTrue("%K == %@", "IsDownloaded", true) && isTrue("%K == %@", "IsDownloaded", NSNumber(value: true)))
    // An argument is a value, and its text is no part of the format.
    #expect(!isTrue("kMDItemFSName == %@", "' OR TRUEPREDICATE OR '"))
    #expect(isTrue("%K == 'yes'", "AND"))
    #expect(!isTrue("kMDItemFSName == '%@'"))
    #expect(NSPredicate(format: "SELF ENDSWITH %@", ".txt").evaluate(with: "Hut.txt"))
    #expect(NSPredicate(format: "%K == %@", "a", "b").evaluate(with: ["a": "b"]))
  }

  @Test func `takes a wildcard after a backslash as it is`() {
    #expect(isTrue("a LIKE %@", "what\\?", of: ["a": "what?"]))
    #expect(!isTrue("a LIKE %@", "what\\?", of: ["a": "whats"]))
    #expect(isTrue("a LIKE 'what\\\\?'", of: ["a": "what?"]))
    #expect(isTrue("a LIKE 'it\\'s \\*'", of: ["a": "it's *"]) && !isTrue("a LIKE '\\*'", of: ["a": "b"]))
  }

  @Test(arguments: [
    "", "kMDItemFSName", "kMDItemFSName ==", "== 'a'", "a == 'b", "(a == 1", "a == 1)", "a == 1 b == 2",
    "a FROM 'b'", "a ==[x] 'b'", "a == %@", "a == %K", "a # 1", "a == 12x", "NOT", "a == 1 AND",
    "a IN {1}",
    "a == %z",
  ])
  func `is refused with a reason`(_ format: String) {
    let error = #expect(throws: PredicateFormatError.self) { try PredicateParser.parse(format, []) }
    #expect(error?.description.hasPrefix("The predicate '\(format)' cannot be read: ") == true)
  }

  @Test func `is refused if its conditions are too deep`() {
    let format = String(repeating: "(", count: 10_000)
    #expect(throws: PredicateFormatError.self) { try PredicateParser.parse(format, []) }
  }

  @Test func `is part of a compound predicate`() {
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "kMDItemFSSize > 1"), NSPredicate(format: "kMDItemFSName LIKE '*.txt'"),
    ])
    #expect(both.evaluate(with: Self.hut))
  }
}
