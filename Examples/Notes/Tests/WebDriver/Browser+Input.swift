import Foundation

extension Browser {
  /// A key of a name.
  enum Key: String, Sendable {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case shift = "\u{E008}"
    case control = "\u{E009}"
    case alt = "\u{E00A}"
    case escape = "\u{E00C}"
    case pageUp = "\u{E00E}"
    case pageDown = "\u{E00F}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case left = "\u{E012}"
    case up = "\u{E013}"
    case right = "\u{E014}"
    case down = "\u{E015}"
    case delete = "\u{E017}"
    case backspace = "\u{E003}"
    case f2 = "\u{E032}"
    case f10 = "\u{E03A}"
  }

  private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

  /// Finds the first element of a selector, once there is one.
  private func element(_ selector: String) async throws -> String {
    let found = try await wait(
      for: selector, until: "document.querySelector(arguments[0])", .string(selector))
    return found[Self.elementKey].string ?? ""
  }

  /// Clicks with the mouse, once the element is there, can be seen and is not covered.
  func click(_ selector: String) async throws {
    try await wait(
      for: "\(selector) to be ready for a click",
      until: """
        (() => {
          const e = document.querySelector(arguments[0]);
          return e && !e.disabled && e.checkVisibility({ visibilityProperty: true });
        })()
        """, .string(selector))
    let path = "/element/\(try await element(selector))/click"
    try await retry("a click on \(selector)") { try await command("POST", path, [:]) }
  }

  /// Chooses files with an `input` of files.
  func choose(_ files: [String], with selector: String) async throws {
    let path = "/element/\(try await element(selector))/value"
    try await command("POST", path, ["text": .string(files.joined(separator: "\n"))])
  }

  /// Presses keys one after the other in the focused element.
  func type(_ text: String) async throws {
    var actions: [JSON] = []
    for character in text {
      let key = character == "\n" ? Key.enter.rawValue : String(character)
      actions += [["type": "keyDown", "value": .string(key)], ["type": "keyUp", "value": .string(key)]]
    }
    try await keys(actions)
  }

  /// Presses a key, with others held down.
  func press(_ key: Key, with held: Key...) async throws { try await press(key.rawValue, held) }

  /// Presses a key that writes a character, with others held down.
  func press(_ key: String, with held: Key...) async throws { try await press(key, held) }

  private func press(_ key: String, _ held: [Key]) async throws {
    let down = held.map { ["type": "keyDown", "value": .string($0.rawValue)] as JSON }
    let up = held.reversed().map { ["type": "keyUp", "value": .string($0.rawValue)] as JSON }
    try await keys(
      down + [["type": "keyDown", "value": .string(key)], ["type": "keyUp", "value": .string(key)]] + up)
  }

  private func keys(_ actions: [JSON]) async throws {
    try await command(
      "POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// Calls `body` again while the page is changing under it.
  private func retry(_ what: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
    let passing = ["stale element reference", "element click intercepted", "element not interactable"]
    try await withDeadline(what, seconds: 60) {
      while true {
        do {
          return try await body()
        } catch let refusal as Driver.Refusal where passing.contains(refusal.error) {
          try await Task.sleep(for: .milliseconds(50))
        }
      }
    }
  }
}

extension Browser {
  /// Drags with the mouse from the middle of one element to the upper part of another one.
  func drag(_ source: String, to target: String) async throws {
    func point(_ selector: String, _ part: String) async throws -> (x: JSON, y: JSON) {
      let place = try await run(
        """
        const e = document.querySelector(arguments[0]);
        e.scrollIntoView({ block: 'nearest' });
        const box = e.getBoundingClientRect();
        return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height * \(part))];
        """, .string(selector))
      return (place[0], place[1])
    }
    let from = try await point(source, "0.5")
    let to = try await point(target, "0.2")
    try await command(
      "POST", "/actions",
      [
        "actions": [
          [
            "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"],
            "actions": [
              ["type": "pointerMove", "duration": 0, "x": from.x, "y": from.y],
              ["type": "pointerDown", "button": 0],
              ["type": "pointerMove", "duration": 100, "x": to.x, "y": to.y],
              ["type": "pointerMove", "duration": 50, "x": to.x, "y": to.y],
              ["type": "pointerUp", "button": 0],
            ],
          ]
        ]
      ])
  }
}
