import ArgumentParser
import CommandSupport
import Glibc

/// An option's value of the form `NAME=VALUE`. The first `=` ends the name; `\=` stands for an `=` in the name.
struct Assignment: ExpressibleByArgument {
  var name: String
  var value: String

  init?(argument: String) {
    guard let first = Self.splits(argument).first else { return nil }
    self = first
  }

  fileprivate init(name: String, value: String) {
    (self.name, self.value) = (name, value)
  }

  /// Returns every division of `argument` at an `=` without a backslash before it, the shortest name first.
  fileprivate static func splits(_ argument: String) -> [Assignment] {
    var splits: [Assignment] = []
    var name = ""
    var backslashes = 0
    for index in argument.unicodeScalars.indices {
      let scalar = argument.unicodeScalars[index]
      if scalar == "\\" {
        backslashes += 1
        continue
      }
      if scalar == "=" {
        // Two backslashes before an `=` stand for one.
        name += String(repeating: "\\", count: backslashes / 2)
        if backslashes.isMultiple(of: 2) {
          if name.isEmpty { return [] }
          let rest = argument.unicodeScalars[argument.unicodeScalars.index(after: index)...]
          splits.append(Assignment(name: name, value: String(rest)))
        }
      } else {
        name += String(repeating: "\\", count: backslashes)
      }
      backslashes = 0
      name.unicodeScalars.append(scalar)
    }
    return splits
  }
}

/// An option's value of the form `NAME=FILE`, with `\=` for an `=` in either.
struct FileAssignment: ExpressibleByArgument {
  var name: String
  var file: String
  private var argument: String
  private var others: [Assignment]

  init?(argument: String) {
    let splits = Assignment.splits(argument).map { split in
      Assignment(name: split.name, value: split.value.replacing("\\=", with: "="))
    }
    guard let first = splits.first, !first.value.isEmpty else { return nil }
    (name, file, self.argument, others) = (first.name, first.value, argument, Array(splits.dropFirst()))
  }

  /// - Throws: a `ValidationError` if another `=` may be the end of the name.
  func checkIsUnambiguous() throws {
    guard let other = others.first(where: { Self.exists($0.value) }) else { return }
    let escaped = other.name.replacing("=", with: "\\=") + "=" + other.value
    let way = "write '\(display(escaped))' for the file '\(display(other.value))'"
    if !Self.exists(file) {
      throw ValidationError(
        "There is no file '\(display(file))': \(way) and the name '\(display(other.name))'.")
    }
    let first = name + "=" + file.replacing("=", with: "\\=")
    throw ValidationError(
      "'\(display(argument))' can be read in two ways: \(way), or '\(display(first))' for '\(display(file))'."
    )
  }

  private static func exists(_ file: String) -> Bool { file == "-" || access(file, F_OK) == 0 }
}
