import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("A report")
struct ReportDescriptionTests {
  /// The JSON of a report, as `--json` prints it.
  private static func json(_ report: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }

  @Test func `prints as a sentence, and its enumerations as the strings of their JSON`() async throws {
    let (_, store) = try await CrashCheck.store(["Text.txt": "text"])
    let dry = try await store.startKeepingHistory(dryRun: true)
    #expect("\(dry)" == "its history would begin")
    #expect("\(try await store.startKeepingHistory())" == "its history begins")
    #expect("\(try await store.startKeepingHistory())" == "its history exists already")

    let report = try await store.save([.put("Text.txt", "new")])
    #expect(report.strategy == .log)
    #expect(try Self.json(report).contains(#""strategy":"log""#))

    let versions = try await store.versions()
    let version = try #require(versions.first)
    let (id, date) = (version.persistentIdentifier.uuidString.prefix(8), version.modificationDate)
    #expect("\(version)" == "\(id)  \(localTime(date))  generation 1  4 B  Text.txt")
    let (changes, _) = try await store.differences(from: version.persistentIdentifier)
    #expect(changes.map { "\($0)" } == ["Text.txt: changed"] && changes.map(\.kind) == [.changed])

    #expect("\(try await store.thinHistory(dryRun: true))" == "0 versions would be removed (0 B), 1 left")
    #expect("\(try await store.thinHistory())" == "0 versions removed (0 B), 1 left")
    let restored = try await store.restore(version.persistentIdentifier)
    #expect("\(restored)" == "\(restored.save)" && restored.lost == [])
  }

  @Test func `of a watcher is one line for each event`() {
    let events: [(PackageWatcher.Event, String)] = [
      (.changed(["Images/1.png", "b\u{10FEFF}"]), "changed Images/1.png, b\\xFF"),
      (.changed([""]), "changed the document"), (.moved(to: URL(filePath: "/a/b")), "moved to /a/b"),
      (.replaced, "replaced by another file or folder"), (.deleted, "deleted"),
      (.overflow, "changed in more places than a report can name"),
    ]
    for (event, line) in events { #expect("\(event)" == line) }
  }

  private static func decode<Value: Decodable>(_ json: String, as type: Value.Type = Value.self) throws
    -> Value
  {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  @Test func `of a waiting save names each operation`() throws {
    let operations: [PlannedStep] = try Self.decode(
      """
      [{"kind": "write", "path": "Text.txt", "size": 4500}, {"kind": "make folder", "path": "Images"},
       {"kind": "set attributes of", "path": ""}]
      """)
    #expect(
      operations.map { "\($0)" } == [
        "write Text.txt (4.5 KB)", "make folder Images", "set attributes of the document's folder",
      ])
    #expect(try Self.json(operations[1]) == #"{"kind":"make folder","path":"Images"}"#)
  }

  @Test func `of a verification names each problem of a version`() throws {
    let problems: [VerificationReport.VersionProblem] = try Self.decode(
      #"""
      [{"kind": "lostVersions"}, {"kind": "absent", "generations": [3, 3]},
       {"kind": "absent"},
       {"kind": "damaged", "path": "a\u001b", "version": "1B4E28BA-2FA1-11D2-883F-0016D3CCA427"},
       {"kind": "unreadable", "path": "b", "version": "1B4E28BA-2FA1-11D2-883F-0016D3CCA427",
        "reason": "input/output error"}]
      """#)
    #expect(
      problems.map { "\($0)" } == [
        "a part of the history is damaged; the versions before it are lost",
        "the history lacks generation 3; the versions before that are lost",
        "the history does not lead to the present state; the versions before that are lost",
        #"damaged: a\x1B of 1B4E28BA"#, "unreadable: b of 1B4E28BA: input/output error",
      ])
  }
}
