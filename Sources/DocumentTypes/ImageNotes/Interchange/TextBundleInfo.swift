import FilePackages
import FoundationEssentials

/// `info.json` of a TextBundle: the keys of the specification, and one object for each program that has keys of its own.
///
/// Our own object comes last. Setting it changes no other byte of the file, and removing it restores the file.
struct TextBundleInfo: Sendable, Hashable {
  static let filename = "info.json"
  static let maximumSize: UInt64 = 1 << 20
  private static let ownKey = "com.filepackages.imagenotes"

  private(set) var value: JSONValue
  /// The bytes of the file.
  private(set) var data: Data

  /// Makes the keys of a new TextBundle, version 2.
  init() {
    value = .object([
      .init(name: "version", value: .number("2")),
      .init(name: "type", value: .string("net.daringfireball.markdown")),
      .init(name: "transient", value: .boolean(false)),
      .init(name: "creatorIdentifier", value: .string(Self.ownKey)),
    ])
    data = Data((value.text() + "\n").utf8)
  }

  /// Reads the keys.
  ///
  /// - Throws: `InterchangeProblem` if the file is too large, or no JSON object.
  init(_ file: FileWrapper) throws {
    data = try file.contents(atMost: Self.maximumSize, Self.filename)
    do throws(JSONReader.Problem) {
      value = try JSONReader.value(of: [UInt8](data))
    } catch {
      throw InterchangeProblem(
        .damaged, file: Self.filename, line: error.line, "it is not JSON: \(error.reason)")
    }
    guard case .object = value else {
      throw InterchangeProblem(.damaged, file: Self.filename, "it is JSON, but no object")
    }
  }

  /// The type of the text, such as `net.daringfireball.markdown`.
  var type: String? { value["type"]?.string }

  /// Whether there are keys beside our own.
  var hasOtherKeys: Bool {
    value.members.contains { $0.name != Self.ownKey }
  }

  /// Our own keys; nil if there are none.
  var own: Own? {
    get { value[Self.ownKey].map(Own.init) }
    set {
      guard newValue != own else { return }
      if let old = value[Self.ownKey] { remove(old) }
      if let new = newValue?.value { append(new) }
    }
  }

  // MARK: Our object at the end of the text

  private static func member(_ value: JSONValue) -> [UInt8] {
    Array("\n  \"\(ownKey)\": \(value.text(indent: "  "))".utf8)
  }

  /// The members without the blanks before the closing bracket, and the rest. Only blanks follow that bracket.
  private var parts: (members: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let bytes = [UInt8](data)
    let end = bytes.lastIndex(of: UInt8(ascii: "}")) ?? bytes.endIndex
    let last = bytes[..<end].lastIndex { $0 > 0x20 } ?? bytes.startIndex
    return (bytes[...last], bytes[(last + 1)...])
  }

  private mutating func append(_ new: JSONValue) {
    let (members, rest) = parts
    let comma = [UInt8(ascii: ",")]
    let text: [UInt8] =
      switch members.last {
      case UInt8(ascii: "{"): Self.member(new)
      // A comma at the end, which some programs write, comes behind our object, too.
      case UInt8(ascii: ","): Self.member(new) + comma
      default: comma + Self.member(new)
      }
    data = Data(members + text + rest)
    value[Self.ownKey] = new
  }

  private mutating func remove(_ old: JSONValue) {
    value[Self.ownKey] = nil
    let (members, rest) = parts
    let member = Self.member(old)
    let comma = [UInt8(ascii: ",")]
    for (before, after) in [(comma, []), ([], comma), ([], [])] {
      let text = before + member + after
      guard members.count > text.count, members.suffix(text.count).elementsEqual(text) else { continue }
      let others = members.dropLast(text.count)
      // Without a comma it was the only member.
      if before.isEmpty && others.last != UInt8(ascii: after.isEmpty ? "{" : ",") { continue }
      data = Data(others + rest)
      return
    }
    // Another program wrote the file anew.
    data = Data((value.text() + "\n").utf8)
  }
}

extension TextBundleInfo {
  /// The object with our own keys: the parts of a document that TextBundle has no place for.
  struct Own: Sendable, Hashable {
    struct Image: Sendable, Hashable {
      var file: String
      var filename: String?
      var caption: String?
    }

    /// The name that the user gave the document.
    var title: String?
    /// The name of the text, if it is not `text.md`.
    var text: String?
    /// The end of the text that shows images which the document's own text does not name.
    var appended: String?
    /// The images in order.
    var images: [Image] = []

    init() {}

    /// Reads the keys that are of the right kind.
    fileprivate init(_ value: JSONValue) {
      title = value["title"]?.string
      text = value["text"]?.string
      appended = value["appended"]?.string
      images = (value["images"]?.elements ?? []).compactMap { image in
        image["file"]?.string.map {
          Image(file: $0, filename: image["filename"]?.string, caption: image["caption"]?.string)
        }
      }
    }

    fileprivate var value: JSONValue {
      func object(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { .init(name: name, value: $0) } })
      }
      func string(_ text: String?) -> JSONValue? { text.map { .string($0) } }
      let list = images.map {
        object([
          ("file", string($0.file)), ("filename", string($0.filename)), ("caption", string($0.caption)),
        ])
      }
      return object([
        ("version", .number("1")), ("title", string(title)), ("text", string(text)),
        ("appended", string(appended)), ("images", list.isEmpty ? nil : .array(list)),
      ])
    }
  }
}
