/// The pages that show one document.
struct SessionViewers {
  private struct Viewer {
    let tab: String
    let channel: EventChannel
    var caret: Int?
    /// The last event about undo that the page got.
    var undo: UndoEvent
  }

  private var viewers: [Int: Viewer] = [:]
  private var last = 0

  var isEmpty: Bool { viewers.isEmpty }

  /// Adds a page; returns its channel, and its number for `remove(_:)`.
  mutating func add(_ tab: String, _ undo: UndoEvent) -> (EventChannel, number: Int) {
    let channel = EventChannel()
    last += 1
    viewers[last] = Viewer(tab: tab, channel: channel, undo: undo)
    return (channel, last)
  }

  /// Removes a page; false if it is gone.
  mutating func remove(_ number: Int) -> Bool { viewers.removeValue(forKey: number) != nil }

  /// Notes the place of a tab's caret.
  mutating func moveCaret(of tab: String, to offset: Int?) {
    for number in viewers.keys where viewers[number]?.tab == tab { viewers[number]?.caret = offset }
  }

  /// The tabs, each once.
  var tabs: [TabsEvent.Tab] {
    var tabs: [String: Int?] = [:]
    for viewer in viewers.values { tabs[viewer.tab] = .some(viewer.caret ?? tabs[viewer.tab] ?? nil) }
    return tabs.map { TabsEvent.Tab(tab: $0.key, at: $0.value) }.sorted { $0.tab < $1.tab }
  }

  /// Tells all pages.
  func tell(_ name: String, _ value: some Encodable) {
    // The values are this server's own, which can be encoded.
    guard let event = try? ServerEvent(name, value) else { return }
    for viewer in viewers.values { viewer.channel.send(event) }
  }

  /// Tells all pages which tabs there are.
  func tellTabs() { tell("tabs", TabsEvent(tabs: tabs)) }

  /// Tells each page what its undo does, if that is new.
  mutating func tellUndo(_ undo: (_ tab: String) -> UndoEvent) {
    for (number, viewer) in viewers {
      let now = undo(viewer.tab)
      // The value is this server's own, which can be encoded.
      guard now != viewer.undo, let event = try? ServerEvent("undo", now) else { continue }
      viewers[number]?.undo = now
      viewer.channel.send(event)
    }
  }

  /// Ends the pages' channels.
  func endChannels() {
    for viewer in viewers.values { viewer.channel.finish() }
  }
}
