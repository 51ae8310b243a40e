import FilePackages
import FoundationEssentials

/// `info.json` of a TextBundle: the keys of the specification, and one object for each program that has keys of its own.
///
/// The file keeps its bytes until our own object changes, and the values of all other keys after that.
struct TextBundleInfo: Sendable {
  static let filename = "info.json"
  static let maximumSize: UInt64 = 1 << 20

  /// The values of the keys beside our own.
  private var values: [String: Value]
  /// Our own keys; nil if there are none.
  var own: Own? {
    didSet {
      if own != oldValue { source = nil }
    }
  }
  /// The bytes that were read; nil for a new file, and after a change.
  private var source: Data?

  /// Makes the keys of a new TextBundle, version 2.
  init() {
    values = [
      "version": .number(2), "type": .string("net.daringfireball.markdown"), "transient": .boolean(false),
      "creatorIdentifier": .string(CodingKeys.own.rawValue),
    ]
  }

  /// Reads the keys.
  ///
  /// - Throws: `InterchangeProblem` if the file is too large, no JSON object, or if our own keys are of the wrong kind.
  init(_ file: FileWrapper) throws {
    let data = try file.contents(atMost: Self.maximumSize, Self.filename)
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch let error as DecodingError {
      throw InterchangeProblem(.damaged, file: Self.filename, sentence(of: error).asClause)
    }
    source = data
  }

  /// The bytes of the file.
  var data: Data {
    get throws {
      if let source { return source }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }

  /// The type of the text, such as `net.daringfireball.markdown`.
  var type: String? {
    if case .string(let type) = values["type"] { type } else { nil }
  }

  /// Whether there are keys beside our own.
  var hasOtherKeys: Bool { !values.isEmpty }
}

extension TextBundleInfo: Equatable {
  /// Whether two files have the same values, in whatever bytes.
  static func == (left: Self, right: Self) -> Bool {
    left.values == right.values && left.own == right.own
  }
}

extension TextBundleInfo: Codable {
  private enum CodingKeys: String, CodingKey {
    case own = "com.filepackages.imagenotes"
  }

  init(from decoder: any Decoder) throws {
    own = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Own.self, forKey: .own)
    values = try [String: Value](from: decoder)
    values[CodingKeys.own.rawValue] = nil
  }

  func encode(to encoder: any Encoder) throws {
    try values.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(own, forKey: .own)
  }

  /// Any value of JSON, so that unknown keys keep their values.
  private enum Value: Sendable, Hashable, Codable {
    case null
    case boolean(Bool)
    /// A number, with up to 38 digits.
    case number(Decimal)
    /// A number that `Decimal` does not hold, such as `1e200`.
    case real(Double)
    case string(String)
    case array([Value])
    case object([String: Value])

    /// The most brackets within each other: a limit to the stack, and to the time that many deep values take.
    private static let maximumDepth = 16

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // Each attempt may fail: the value is then of another kind, or not valid.
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try? container.decode(Decimal.self) {
        self = .number(value)
      } else if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
      } else if decoder.codingPath.count < Self.maximumDepth, let value = try? container.decode([Value].self)
      {
        self = .array(value)
      } else if decoder.codingPath.count < Self.maximumDepth,
        let value = try? container.decode([String: Value].self)
      {
        self = .object(value)
      } else if let value = try? container.decode(Double.self) {
        self = .real(value)
      } else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "It is not valid, or too deep.")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .boolean(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .real(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .array(let value): try container.encode(value)
      case .object(let value): try container.encode(value)
      }
    }
  }
}

extension TextBundleInfo {
  /// The object with our own keys: the parts of a document that TextBundle has no place for.
  struct Own: Sendable, Hashable, Codable {
    struct Image: Sendable, Hashable, Codable {
      var file: String
      var filename: String?
      var caption: String?
    }

    private var version = 1
    /// The name that the user gave the document.
    var title: String?
    /// The name of the text, if it is not `text.md`.
    var text: String?
    /// The end of the text that shows images which the document's own text does not name.
    var appended: String?
    /// The images in order.
    var images: [Image]?

    init() {}
  }
}
