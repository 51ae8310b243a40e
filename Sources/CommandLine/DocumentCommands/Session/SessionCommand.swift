import CommandSupport
import DurableIO
import FilePackages

/// A command of a session, on one line.
enum SessionCommand: Equatable {
  case show
  case printText
  case text(String)
  case append(String)
  case title(String)
  case addImage(String)
  case removeImage(String)
  case caption(image: String, String)
  case moveImage(String, to: Int)
  case undo
  case redo
  case save
  case saveAs(String)
  case revert
  case status
  case recover
  case discard
  case resolve
  case help
  case quit

  /// Parses a line; returns nil for an empty line and for a comment, which begins with `#`.
  static func parse(_ line: String) throws -> SessionCommand? {
    let line = line.drop(while: \.isWhitespace)
    guard let first = line.first, first != "#" else { return nil }
    let name = line.prefix { !$0.isWhitespace }
    let rest = line.dropFirst(name.count).drop(while: \.isWhitespace)
    return try SessionCommand(String(name), SessionArgument(String(rest)))
  }

  private init(_ name: String, _ argument: SessionArgument) throws {
    switch name {
    case "text": self = argument.isEmpty ? .printText : .text(try argument.text(for: name))
    case "append":
      if argument.isEmpty { throw InputError(description: "'append' needs a text after it.") }
      self = .append(try argument.text(for: name))
    case "title": self = .title(try argument.text(for: name))
    case "add-image": self = .addImage(try argument.name(for: name))
    case "remove-image": self = .removeImage(try argument.name(for: name))
    case "caption":
      let (image, caption) = try argument.assignment(for: name)
      self = .caption(image: image, try SessionArgument(caption).text(for: name))
    case "move-image":
      let (image, place) = try argument.assignment(for: name)
      guard let place = Int(place), place > 0 else {
        throw InputError(
          description: "'\(display(place))' is not a place in the order; the first place is 1.")
      }
      self = .moveImage(image, to: place - 1)
    case "save": self = argument.isEmpty ? .save : .saveAs(try argument.name(for: name))
    default:
      guard let command = Self.plain[name] else {
        throw InputError(description: "There is no command '\(display(name))': 'help' lists them.")
      }
      guard argument.isEmpty else { throw InputError(description: "'\(name)' takes nothing after it.") }
      self = command
    }
  }

  private static let plain: [String: SessionCommand] = [
    "show": .show, "undo": .undo, "redo": .redo, "revert": .revert, "status": .status, "recover": .recover,
    "discard": .discard, "resolve": .resolve, "help": .help, "?": .help, "quit": .quit, "exit": .quit,
    "close": .quit,
  ]

  /// The usage and the meaning of each command.
  static let descriptions: [(usage: String, meaning: String)] = [
    ("show", "title, text and images"),
    ("text", "the text alone"),
    ("text TEXT", "replace the text; \\n is a new line, \\\\ a backslash"),
    ("append TEXT", "add a paragraph at the end"),
    ("title NAME", "name the document; without a name, its first line is the title again"),
    ("add-image FILE", "add an image at the end"),
    ("remove-image NAME", "remove an image"),
    ("caption NAME=TEXT", "set an image's caption"),
    ("move-image NAME=PLACE", "move an image in the order; the first place is 1"),
    ("undo, redo", "undo the last edit, and redo it"),
    ("save", "save now instead of two seconds after the last edit"),
    ("save PATH", "save as a new document at PATH, and continue with it"),
    ("revert", "discard unsaved edits, and read the document again"),
    ("status", "the path, the state and the unsaved edits"),
    ("recover, discard", "apply the edits of a recovery copy, or remove it"),
    ("resolve", "remove the conflict versions"),
    ("quit", "save and end; so do the end of input and Ctrl-C"),
  ]
}

/// The rest of the line after a command's name.
private struct SessionArgument {
  var string: String
  var isEmpty: Bool { string.isEmpty }

  init(_ string: String) { self.string = string }

  /// Returns the text with its escapes for new lines, tabs and backslashes replaced.
  func text(for command: String) throws -> String {
    guard let string = String(validating: FileName(string).bytes, as: UTF8.self) else {
      throw InputError(description: "'\(command)' needs a text in UTF-8: '\(display(string))' is not UTF-8.")
    }
    var text = ""
    var isEscaped = false
    for character in string {
      switch (isEscaped, character) {
      case (false, "\\"):
        isEscaped = true
        continue
      case (true, "n"): text.append("\n")
      case (true, "t"): text.append("\t")
      case (true, "\\"): text.append("\\")
      case (true, _): text += "\\" + String(character)
      case (false, _): text.append(character)
      }
      isEscaped = false
    }
    return isEscaped ? text + "\\" : text
  }

  /// Returns the name without the quotation marks that a terminal puts around a dropped file.
  func name(for command: String) throws -> String {
    var name = string
    while name.last?.isWhitespace == true { name.removeLast() }
    if let mark = name.first, mark == "'" || mark == "\"", name.last == mark, name.count > 1 {
      name = String(name.dropFirst().dropLast())
    }
    if name.isEmpty { throw InputError(description: "'\(command)' needs a name after it.") }
    return name
  }

  func assignment(for command: String) throws -> (String, String) {
    guard let value = Assignment(argument: string) else {
      throw InputError(description: "'\(command)' needs NAME=VALUE after it.")
    }
    return (value.name, value.value)
  }
}
