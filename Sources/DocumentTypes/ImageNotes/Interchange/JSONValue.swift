/// A value of JSON that loses nothing: members in their order, numbers as they are written.
enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// A number as it is written.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Hashable, Sendable {
    var name: String
    var value: JSONValue
  }

  /// The value of a member of an object; of several with one name the last one, as most programs read it.
  subscript(name: String) -> JSONValue? {
    get { members.last { $0.name == name }?.value }
    set {
      guard case .object(var members) = self else { return }
      if let newValue, let index = members.lastIndex(where: { $0.name == name }) {
        members[index].value = newValue
      } else {
        members.removeAll { $0.name == name }
        if let newValue { members.append(Member(name: name, value: newValue)) }
      }
      self = .object(members)
    }
  }

  var members: [Member] {
    if case .object(let members) = self { members } else { [] }
  }

  var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  var string: String? {
    if case .string(let string) = self { string } else { nil }
  }
}

// MARK: - As text

extension JSONValue {
  /// Returns the value as text, one member or element a line.
  ///
  /// - Parameter indent: the spaces before each line but the first.
  func text(indent: String = "") -> String {
    var result = ""
    write(to: &result, indent: indent)
    return result
  }

  private func write(to result: inout String, indent: String) {
    let inner = indent + "  "
    switch self {
    case .null: result += "null"
    case .boolean(let value): result += value ? "true" : "false"
    case .number(let literal): result += literal
    case .string(let string): Self.write(string, to: &result)
    case .array(let elements):
      result += "["
      for (index, element) in elements.enumerated() {
        result += (index == 0 ? "\n" : ",\n") + inner
        element.write(to: &result, indent: inner)
      }
      result += elements.isEmpty ? "]" : "\n\(indent)]"
    case .object(let members):
      result += "{"
      for (index, member) in members.enumerated() {
        result += (index == 0 ? "\n" : ",\n") + inner
        Self.write(member.name, to: &result)
        result += ": "
        member.value.write(to: &result, indent: inner)
      }
      result += members.isEmpty ? "}" : "\n\(indent)}"
    }
  }

  private static func write(_ string: String, to result: inout String) {
    result += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    result += "\""
  }
}
