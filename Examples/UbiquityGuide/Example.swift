import AppleCloud
import CloudContainers
import ObjectStores

/// Runs the controller's steps on two folders, which are two machines of one user.
@main
struct Example {
  @MainActor
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "UbiquityGuide-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (here, there) = try await containers(in: folder)
    check(Note.type.isDeclared, "both machines know the type")

    // This is all that a program adds to a model: the container that a Mac's entitlements would name.
    let controller = NotesController()
    var accounts = 0
    controller.observeAccount { accounts += 1 }
    try await controller.findContainer()
    check(!controller.isCloudOn && controller.documentsURL == nil, "without a container, the cloud is off")
    try UbiquityContainers.register(here, forIdentifier: "iCloud.org.example.notes")
    try await controller.findContainer()
    check(controller.isCloudOn && controller.documentsURL != nil, "with a container, the cloud is on")
    await wait(for: "the account") { accounts == 1 }

    // A document of this machine moves to the container, while it is open.
    controller.startQuery()
    let local = folder.appending(path: "Hut.guidenote")
    let note = Note(fileURL: local)
    note.setText("Rain\n")
    check(await note.save(to: local, for: .forCreating), "the document is made")
    let url = try await controller.moveToCloud(local)
    await wait(for: "the new place") { note.fileURL.path == url.path }
    await wait(for: "the query") { controller.notes.map(\.lastPathComponent) == ["Hut.guidenote"] }
    try await here.sync()
    print("in the container:", controller.notes.map(\.lastPathComponent))

    // Both machines edit the same line: a conflict.
    try await there.sync()
    try await there.download(itemNamed: "Documents/Hut.guidenote")
    let other = Note(fileURL: there.url.appending(path: "Documents/Hut.guidenote"))
    check(await other.open(), "the other machine has the document")
    other.setText("Snow\n")
    note.setText("Sun\n")
    check(await other.close(), "the other machine has saved")
    check(await note.save(to: url, for: .forOverwriting), "this machine has saved")
    try await there.sync()
    try await here.sync()
    await wait(for: "the conflict") { note.documentState.contains(.inConflict) }
    try await controller.resolveConflict(of: note)
    await wait(for: "the end of the conflict") { !note.documentState.contains(.inConflict) }
    print("after the conflict:", note.text.dropLast())
    check(["Snow\n", "Sun\n"].contains(note.text), "the document is one of both")
    check(await note.close(), "the document is closed")
    try await here.sync()

    // The content leaves this machine, and comes back.
    try await controller.evict(url)
    check(!FileManager.default.fileExists(atPath: url.path), "only a placeholder is here")
    check(try !controller.download(url), "the download has begun")
    await wait(for: "the download") { (try? controller.download(url)) == true }

    // The document is removed on both machines.
    try await controller.remove(url)
    await wait(for: "the removal") { controller.notes.isEmpty }
    try await here.sync()
    try await there.sync()
    check(try await there.items().isEmpty, "the container has no document any more")
    controller.stopQuery()
    print("removed on both machines")
  }

  /// Makes two folders of one container, whose store is a folder as well.
  private static func containers(in folder: URL) async throws -> (CloudContainer, CloudContainer) {
    let folders = ["store", "here", "there"].map { folder.appending(path: $0) }
    for folder in folders {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let store = try FolderStore(at: folders[0])
    return (
      try await .add(folders[1], to: store, address: folders[0].path, deviceName: "here"),
      try await .add(folders[2], to: store, address: folders[0].path, deviceName: "there")
    )
  }

  @MainActor
  private static func wait(for what: String, _ isTrue: () -> Bool) async {
    for _ in 0..<3000 {
      if isTrue() { return }
      try? await Task.sleep(for: .milliseconds(10))  // The task is never cancelled.
    }
    check(false, "\(what) came in time")
  }

  /// Ends the program with status 1 if the example does not do what it says.
  static func check(_ isTrue: Bool, _ claim: String) {
    if isTrue { return }
    print("UbiquityGuide: not true: \(claim)")
    exit(1)
  }
}
