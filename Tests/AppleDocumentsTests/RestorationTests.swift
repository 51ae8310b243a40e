import AppleDocuments
import SystemPackage
import TestSupport
import Testing

/// A text document that restores the place of the cursor.
private final class Page: TextDocument {
  var cursor = 0 { didSet { userActivity?.needsSave = true } }

  override func updateUserActivityState(_ userActivity: NSUserActivity) {
    super.updateUserActivityState(userActivity)
    userActivity.addUserInfoEntries(from: ["cursor": cursor])
  }

  override func restoreUserActivityState(_ userActivity: NSUserActivity) {
    cursor = userActivity.userInfo?["cursor"] as? Int ?? 0
  }
}

@Suite("Restoration", .temporaryDirectory)
@MainActor
struct RestorationTests {
  @Test func `finds the document and the application's values again`() async throws {
    let (url, moved, state) = (url("Page.txt"), url("Moved.txt"), url("State"))
    let archive = UserActivityArchive(at: state)
    #expect(try await archive.restore().isEmpty)
    let page = Page(fileURL: url)
    page.text = "One"
    page.userActivity = NSUserActivity(activityType: "org.example.editing")
    #expect(await page.save(to: url, for: .forCreating))
    page.cursor = 2
    try await archive.save([try #require(page.userActivity)])
    #expect(await page.save(to: moved, for: .forCreating))
    #expect(page.userActivity?.needsSave == true)
    try await archive.save([try #require(page.userActivity)])
    #expect(page.userActivity?.needsSave == false)
    #expect(await page.close())

    let activity = try #require(try await archive.restore().first)
    #expect(activity.activityType == "org.example.editing")
    let place = try #require(activity.userInfo?[UIDocument.userActivityURLKey] as? URL)
    #expect(place.path == moved.path)
    let next = Page(fileURL: place)
    #expect(await next.open())
    next.restoreUserActivityState(activity)
    #expect(next.text == "One" && next.cursor == 2)
    #expect(await next.close())
  }

  @Test func `keeps values of each kind, and refuses others by their key`() async throws {
    let archive = UserActivityArchive(at: url("State"))
    let uuid = UUID()
    let values: [String: AnyHashable] = [
      "text": "one", "number": 1.5, "date": Date(timeIntervalSince1970: 1), "data": Data([1]),
      "url": URL(filePath: "/one two"), "uuid": uuid, "set": Set(["a", "b"]), "list": [1, 2],
      "lists": Set([["a", "b"], []]), "maps": Set([["key": ["a"]]]),
      "map": ["url": "no URL", "inner": "x"],
    ]
    let activity = NSUserActivity(activityType: "one")
    (activity.title, activity.persistentIdentifier) = ("One", "id")
    activity.userInfo = values
    let expired = NSUserActivity(activityType: "expired")
    expired.expirationDate = .distantPast
    let invalid = NSUserActivity(activityType: "invalid")
    invalid.invalidate()
    try await archive.save([activity, expired, invalid])
    let restored = try await archive.restore()
    #expect(restored.map(\.activityType) == ["one"] && restored.first?.title == "One")
    let info = try #require(restored.first?.userInfo)
    #expect(info.count == values.count && info["text"] as? String == "one")
    #expect(info["number"] as? Double == 1.5 && info["list"] as? [Int] == [1, 2])
    #expect(info["date"] as? Date == Date(timeIntervalSince1970: 1) && info["data"] as? Data == Data([1]))
    #expect(info["url"] as? URL == URL(filePath: "/one two") && info["uuid"] as? UUID == uuid)
    #expect(info["set"] as? Set<String> == ["a", "b"])
    #expect(info["lists"] as? Set<[String]> == [["a", "b"], []])
    #expect(info["maps"] as? Set<[String: [String]]> == [["key": ["a"]]])
    #expect(info["map"] as? [String: String] == ["url": "no URL", "inner": "x"])

    activity.requiredUserInfoKeys = ["text"]
    activity.userInfo?["wrong"] = archive
    try await archive.save([activity])
    #expect(try await archive.restore().first?.userInfo as? [String: String] == ["text": "one"])
    activity.requiredUserInfoKeys = nil
    let error = await #expect(throws: CocoaError.self) { try await archive.save([activity]) }
    #expect(error?.code == .propertyListWriteInvalid && "\(error as Any)".contains("wrong"))
    try Data("no list".utf8).write(to: archive.url)
    await #expect(throws: (any Error).self) { _ = try await archive.restore() }
  }
}
